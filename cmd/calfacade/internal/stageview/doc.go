// Package stageview prints the output of "calfacade stage": the matrix, the last changes, and the
// rules of a configuration that gives the same matrix. Start reading at [View].
package stageview
