package pictures

import (
	"path"
	"strings"
)

// roomMap draws the rooms, with what is outside.
func roomMap() string {
	const (
		height = 952
		below  = 612 // where the groups below the spine begin
		split  = 168 // where the groups on the right begin
		half   = 110 // width of a room of the contract
		h      = 42
	)
	d := &drawing{
		title:       "The rooms of calfacade",
		description: "Imports point down. " + sentence(program) + sentence(spine) + "Below the spine: " + sentence(concerns) + "Below them: " + sentence(entries) + sentence(contract) + sentence(table) + sentence(syntax) + sentence(texts),
		height:      height,
	}
	d.text("head", start, 14, 26, d.title)
	d.text("soft", start, 14, 46, "Imports point down.")

	d.box("box", 14, 62, 412, 56)
	d.text("name head", start, 28, 86, program[0].pkg)
	d.text("soft", start, 28, 105, program[0].subject)
	d.arrow(point{width / 2, 118}, point{width / 2, 140})

	d.box("box", 14, 140, 412, below-22-140)
	d.text("name head", start, 28, 164, spine[0].pkg)
	d.text("soft", start, 28, 183, "the spine: "+spine[0].subject)
	grid(d, concerns, 28, 198, 122, h, 3)
	d.arrow(point{84, below - 22}, point{84, below})
	d.arrow(point{(split + width - 14) / 2, below - 22}, point{(split + width - 14) / 2, below})

	d.box("box", 14, below, 140, 142)
	d.text("head", start, 28, below+24, "Entries")
	grid(d, entries, 28, below+34, 112, h, 1)
	d.box("box", 14, below+270, 140, 56)
	d.text("name head", start, 28, below+294, texts[0].pkg)
	d.text("soft", start, 28, below+313, texts[0].subject)
	d.box("box", split, below, width-14-split, 326)
	d.text("head", start, split+14, below+24, "The contract")
	grid(d, contract, split+14, below+34, half, h, 2)
	grid(d, table, split+14, below+34+3*(h+6), 2*half+9, h, 1)
	grid(d, syntax, split+14, below+34+4*(h+6), half, h, 2)
	return d.svg()
}

// grid draws rooms of one size in columns.
func grid(d *drawing, rooms []room, x, y, w, h float64, columns int) {
	for i, r := range rooms {
		at := point{x + float64(i%columns)*(w+9), y + float64(i/columns)*(h+6)}
		d.box("room", at.x, at.y, w, h)
		d.text("name", start, at.x+9, at.y+h/2-4, path.Base(r.pkg))
		d.text("soft", start, at.x+9, at.y+h/2+14, r.subject)
	}
}

// sentence lists rooms for a description.
func sentence(rooms []room) string {
	var all []string
	for _, r := range rooms {
		all = append(all, r.pkg+" ("+r.subject+")")
	}
	return strings.Join(all, ", ") + ". "
}
