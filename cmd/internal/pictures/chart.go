package pictures

import (
	"slices"
)

// chart shows curves over a number of something, with logarithmic axes.
type chart struct {
	title, description string
	x, y               string // what the axes count
	curves             []curve
	limits             []limit
}

// curve is a series of values. Its label stands at its end.
type curve struct {
	label, colour string
	points        []point // values
}

// limit is a value that is marked across the chart.
type limit struct {
	label, colour string
	y             float64
}

// The chart's part of the picture.
const (
	left, right  = 50.0, 318.0
	top, bottom  = 62.0, 322.0
	chartHeight  = 372
	labelSpacing = 17.0
)

func (c chart) draw() string {
	d := &drawing{title: c.title, description: c.description, height: chartHeight}
	d.text("head", start, 14, 26, c.title)
	var xs, ys []float64
	for _, k := range c.curves {
		for _, p := range k.points {
			xs, ys = append(xs, p.x), append(ys, p.y)
		}
	}
	for _, l := range c.limits {
		ys = append(ys, l.y)
	}
	x, y := axisFor(xs, left, right), axisFor(ys, bottom, top)
	x.max = slices.Max(xs)
	c.grid(d, x, y)
	for _, l := range c.limits {
		d.line("limit "+l.colour, point{left, y.at(l.y)}, point{right, y.at(l.y)})
	}
	for _, k := range c.curves {
		var line []point
		for _, p := range k.points {
			line = append(line, point{x.at(p.x), y.at(p.y)})
		}
		d.line("curve "+k.colour, line...)
		for _, p := range line {
			d.dot(k.colour, p, 3)
		}
	}
	c.labels(d, y)
	return d.svg()
}

func (c chart) grid(d *drawing, x, y axis) {
	for _, v := range x.decades() {
		d.line("grid", point{x.at(v), top}, point{x.at(v), bottom})
		d.text("soft", middle, x.at(v), bottom+19, short(v))
	}
	for _, v := range y.decades() {
		d.line("grid", point{left, y.at(v)}, point{right, y.at(v)})
		d.text("soft", end, left-7, y.at(v)+5, short(v))
	}
	d.line("line", point{left, top}, point{left, bottom}, point{right, bottom})
	d.text("soft", middle, (left+right)/2, bottom+39, c.x)
	d.text("soft", start, 14, 48, c.y)
}

// labels writes the labels beside the ends of the curves and limits, moved apart where they
// would overlap.
func (c chart) labels(d *drawing, y axis) {
	type label struct {
		text, colour string
		at           float64
	}
	var all []label
	for _, k := range c.curves {
		all = append(all, label{k.label, k.colour, y.at(k.points[len(k.points)-1].y)})
	}
	for _, l := range c.limits {
		all = append(all, label{l.label, l.colour, y.at(l.y)})
	}
	slices.SortStableFunc(all, func(a, b label) int { return int(10 * (a.at - b.at)) })
	for i := 1; i < len(all); i++ {
		all[i].at = max(all[i].at, all[i-1].at+labelSpacing)
	}
	for i, last := len(all)-1, bottom; i >= 0; i, last = i-1, all[i].at-labelSpacing {
		all[i].at = min(all[i].at, last)
	}
	for _, l := range all {
		d.text(l.colour, start, right+8, l.at+5, l.text)
	}
}
