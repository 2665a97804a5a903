package statuspage

import _ "embed" // for the palette

//go:embed files/palette.css
var palette string

// Palette is a style sheet with what the program's pages have in common: their
// colours, light and dark, and their type.
func Palette() string { return palette }
