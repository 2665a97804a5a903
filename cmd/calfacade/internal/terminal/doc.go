// Package terminal writes to terminals for the commands. It makes texts of sites and clients safe
// to print, by escaping the characters that a terminal would interpret, and aligns tables.
package terminal
