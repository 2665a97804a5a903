package pictures

import (
	"encoding/xml"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// width is that of every picture, in units of which a phone's screen has some 360: text of 14
// units is readable there. On larger screens pictures are drawn at enlarged times their size.
const (
	width    = 440
	enlarged = 1.5
)

// drawing is a picture in the making.
type drawing struct {
	title, description string
	height             float64
	b                  strings.Builder
}

// svg returns the picture.
func (d *drawing) svg() string {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %s %s" width="%s" height="%s" role="img" aria-labelledby="title description">`+"\n",
		number(width), number(d.height), number(width*enlarged), number(d.height*enlarged))
	fmt.Fprintf(&b, "<title id=\"title\">%s</title>\n<desc id=\"description\">%s</desc>\n<style>%s</style>\n", escape(d.title), escape(d.description), style)
	fmt.Fprintf(&b, `<rect class="paper" width="%s" height="%s"/>`+"\n", number(width), number(d.height))
	return b.String() + d.b.String() + "</svg>\n"
}

func (d *drawing) box(class string, x, y, w, h float64) {
	fmt.Fprintf(&d.b, `<rect class="%s" x="%s" y="%s" width="%s" height="%s" rx="6"/>`+"\n", class, number(x), number(y), number(w), number(h))
}

// The anchors of a text.
const (
	start  = "start"
	middle = "middle"
	end    = "end"
)

// text writes a line of text, whose baseline is at y.
func (d *drawing) text(class, anchor string, x, y float64, text string) {
	fmt.Fprintf(&d.b, `<text class="%s" text-anchor="%s" x="%s" y="%s">%s</text>`+"\n", class, anchor, number(x), number(y), escape(text))
}

func (d *drawing) line(class string, points ...point) {
	var b strings.Builder
	for i, p := range points {
		command := "L"
		if i == 0 {
			command = "M"
		}
		b.WriteString(command + number(p.x) + " " + number(p.y))
	}
	fmt.Fprintf(&d.b, `<path class="%s" d="%s"/>`+"\n", class, b.String())
}

// arrow draws a line from one point to another, with a tip at its end.
func (d *drawing) arrow(from, to point) {
	const length, half = 7, 4
	l := math.Hypot(to.x-from.x, to.y-from.y)
	dx, dy := (to.x-from.x)/l, (to.y-from.y)/l
	back := point{to.x - length*dx, to.y - length*dy}
	d.line("arrow", from, back)
	fmt.Fprintf(&d.b, `<path class="tip" d="M%s %sL%s %sL%s %sZ"/>`+"\n", number(to.x), number(to.y),
		number(back.x-half*dy), number(back.y+half*dx), number(back.x+half*dy), number(back.y-half*dx))
}

func (d *drawing) dot(class string, at point, radius float64) {
	fmt.Fprintf(&d.b, `<circle class="%s" cx="%s" cy="%s" r="%s"/>`+"\n", class, number(at.x), number(at.y), number(radius))
}

type point struct{ x, y float64 }

// number formats a coordinate, to a tenth of a unit.
func number(f float64) string { return strconv.FormatFloat(math.Round(f*10)/10, 'f', -1, 64) }

func escape(s string) string {
	var b strings.Builder
	if err := xml.EscapeText(&b, []byte(s)); err != nil {
		panic("BUG: " + err.Error()) // a strings.Builder does not fail
	}
	return b.String()
}
