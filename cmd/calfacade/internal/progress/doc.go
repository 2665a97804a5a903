// Package progress shows the progress of a command in a status line of a terminal, or else in log
// records. [Recorded] is the progress of a recording that is made, [Checked] that of one that is
// checked before it is used.
//
// Start reading at display.go.
package progress
