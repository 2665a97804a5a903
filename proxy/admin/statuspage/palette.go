package statuspage

import _ "embed" // for the palette

//go:embed files/palette.css
var palette string

// Palette returns the style sheet that the program's pages share: colours, light and dark,
// and fonts.
func Palette() string { return palette }
