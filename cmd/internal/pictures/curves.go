package pictures

import (
	"fmt"

	"github.com/calfacade/calfacade/cmd/internal/scale"
)

// siteCalls shows what instances and leases mean to the site.
func siteCalls(rows []scale.Row) string {
	c := chart{
		title: "Calls to the site, by instances", x: "instances, with the same traffic in all", y: "calls a second",
		curves: []curve{
			of(rows, scale.ByInstances, scale.WithRedis, "one Redis", "blue", byInstances, calls),
			of(rows, scale.ByInstances, scale.WithoutLeases, "without leases", "violet", byInstances, calls),
			of(rows, scale.ByInstances, scale.WithoutRedis, "without Redis", "orange", byInstances, calls),
		},
	}
	return c.described().draw()
}

// redisCommands shows what instances mean to Redis.
func redisCommands(rows []scale.Row) string {
	c := chart{
		title: "Commands of Redis, by instances", x: "instances, with the same traffic in all", y: "commands a second",
		curves: []curve{
			of(rows, scale.ByInstances, scale.WithRedis, "following", "orange", byInstances, func(r scale.Row) float64 { return r.Idle }),
			of(rows, scale.ByInstances, scale.WithRedis, "entries, leases", "blue", byInstances, func(r scale.Row) float64 { return r.Entries }),
			of(rows, scale.ByInstances, scale.WithRedis, "purges", "violet", byInstances, func(r scale.Row) float64 { return r.Purges }),
		},
	}
	return c.described().draw()
}

// frontTraffic shows what caches in front mean to the instances and to the site.
func frontTraffic(rows []scale.Row) string {
	c := chart{
		title: "Caches in front of 16 instances", x: "caches in front, with the same traffic in all", y: "requests to instances, calls and purges, a second",
		curves: []curve{
			of(rows, scale.ByFronts, scale.WithOnward, "requests", "blue", byFronts, func(r scale.Row) float64 { return r.Requests * (1 - r.FrontHits) }),
			of(rows, scale.ByFronts, scale.WithOnward, "site calls", "orange", byFronts, calls),
			of(rows, scale.ByFronts, scale.WithOnward, "purges sent", "violet", byFronts, func(r scale.Row) float64 { return r.ToFronts }),
		},
	}
	return c.described().draw()
}

func byInstances(r scale.Row) float64 { return float64(r.Instances) }
func byFronts(r scale.Row) float64    { return float64(r.Fronts) }
func calls(r scale.Row) float64       { return r.SiteCalls }

// of returns a curve over the rows of a group with a name.
func of(rows []scale.Row, group, name, label, colour string, x, y func(scale.Row) float64) curve {
	c := curve{label: label, colour: colour}
	for _, r := range rows {
		if r.Group == group && r.Name == name {
			c.points = append(c.points, point{x(r), y(r)})
		}
	}
	return c
}

// described returns the chart with a description of where its curves begin and end.
func (c chart) described() chart {
	c.description = fmt.Sprintf("Logarithmic axes; horizontal: %s; vertical: %s.", c.x, c.y)
	for _, k := range c.curves {
		first, last := k.points[0], k.points[len(k.points)-1]
		c.description += fmt.Sprintf(" %s: %s at %s, %s at %s.", k.label, rounded(first.y), short(first.x), rounded(last.y), short(last.x))
	}
	for _, l := range c.limits {
		c.description += fmt.Sprintf(" Limit, %s: %s.", l.label, rounded(l.y))
	}
	return c
}
