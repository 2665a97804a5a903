package pictures

import (
	"fmt"
	"strconv"
	"strings"
)

// The participants of a purge.
const (
	theSite = iota
	instanceA
	redis
	instanceB
	inFront
	participants
)

var participantNames = [participants][2]string{{"site", ""}, {"instance", "A"}, {"Redis", ""}, {"instance", "B"}, {"cache", "in front"}}

// step is a message from one participant to another, or something that one does.
type step struct {
	from, to int
	text     string
}

var purgeSteps = []step{
	{theSite, instanceA, "After an edit, the plugin sends its tags"},
	{instanceA, redis, "A appends them to the purge log"},
	{redis, instanceB, "Every instance reads the record"},
	{instanceB, instanceB, "B applies it: older entries are now invalid"},
	{instanceB, instanceA, "B acknowledges, through Redis"},
	{instanceA, theSite, "A answers: the purge holds at every instance"},
	{instanceA, inFront, "Then one instance sends the purge on"},
	{inFront, instanceB, "The next request is a miss in front"},
	{instanceB, theSite, "B calls the site: its entry is from before the purge"},
	{instanceB, redis, "B stores the new entry for all instances"},
}

// lifeOfPurge draws the steps of a purge.
func lifeOfPurge() string {
	const first, spacing = 102.0, 52.0
	d := &drawing{title: "The life of a purge", description: describe(purgeSteps), height: first + spacing*float64(len(purgeSteps)) + 8}
	d.text("head", start, 14, 26, d.title)
	column := func(p int) float64 { return 48 + float64(p)*86 }
	for p, name := range participantNames {
		d.box("box", column(p)-38, 42, 76, 44)
		if name[1] == "" {
			d.text("", middle, column(p), 69, name[0])
		} else {
			d.text("", middle, column(p), 61, name[0])
			d.text("", middle, column(p), 78, name[1])
		}
		d.line("line", point{column(p), 86}, point{column(p), d.height - 10})
	}
	for i, s := range purgeSteps {
		y := first + spacing*float64(i)
		d.box("paper", 10, y+1, 420, 24)
		d.text("head blue", start, 14, y+18, strconv.Itoa(i+1))
		d.text("", start, 40, y+18, s.text)
		if s.from == s.to {
			d.dot("blue", point{column(s.from), y + 36}, 6)
			continue
		}
		d.arrow(point{column(s.from), y + 36}, point{column(s.to), y + 36})
	}
	return d.svg()
}

func describe(steps []step) string {
	var all []string
	for i, s := range steps {
		name := func(p int) string { return strings.TrimSpace(strings.Join(participantNames[p][:], " ")) }
		who := name(s.from)
		if s.from != s.to {
			who += " to " + name(s.to)
		}
		all = append(all, fmt.Sprintf("%d, %s: %s.", i+1, who, s.text))
	}
	return strings.Join(all, " ")
}
