// Package similar finds the name that a misspelled one stands for.
package similar
