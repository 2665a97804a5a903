// Package pictures draws the pictures of the documents as SVG: the rooms of the program, the
// life of a purge, and the curves of docs/scaling.md. The same data makes the same bytes.
//
// A picture is readable in light and in dark, on a phone's screen, and without its colours. It
// has a title and a description for screen readers, and neither scripts nor fonts of its own.
//
// Start reading at pictures.go, which lists the pictures. go generate writes them to
// docs/pictures.
//
//	pictures.go           the pictures and their files
//	rooms.go, room_map.go the rooms: data, as text, and as a picture
//	purge.go              the life of a purge
//	curves.go             what the curves of docs/scaling.md show
//	chart.go, axis.go     a chart with logarithmic axes
//	svg.go, style.go      SVG
package pictures
