package report

import (
	"strconv"
	"strings"
	"unicode"
)

// piece is a part of a text.
type piece struct {
	Text    string
	Changed bool // it is not in the other text
}

// marked returns two texts with what changed marked, word by word: the longest common sequence of
// words is unchanged.
func marked(want, got string) (a, b []piece) {
	x, y := words(want), words(got)
	common := make([][]int, len(x)+1) // of the words from i and j on
	for i := range common {
		common[i] = make([]int, len(y)+1)
	}
	for i := len(x) - 1; i >= 0; i-- {
		for j := len(y) - 1; j >= 0; j-- {
			if x[i] == y[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	i, j := 0, 0
	for i < len(x) || j < len(y) {
		switch {
		case i < len(x) && j < len(y) && x[i] == y[j]:
			a, b = add(a, x[i], false), add(b, y[j], false)
			i, j = i+1, j+1
		case j == len(y) || i < len(x) && common[i+1][j] >= common[i][j+1]:
			a = add(a, x[i], true)
			i++
		default:
			b = add(b, y[j], true)
			j++
		}
	}
	return a, b
}

// add adds a word to pieces.
func add(pieces []piece, word string, changed bool) []piece {
	if n := len(pieces); n > 0 && pieces[n-1].Changed == changed {
		pieces[n-1].Text += word
		return pieces
	}
	return append(pieces, piece{word, changed})
}

// words splits a text into words, blanks and other characters; joined they are the text.
func words(s string) (all []string) {
	class := func(r rune) int {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r):
			return 1
		case unicode.IsSpace(r):
			return 2
		}
		return 0
	}
	start, last := 0, 0
	for i, r := range s {
		now := class(r)
		if i > start && (now != last || now == 0) {
			all = append(all, s[start:i])
			start = i
		}
		last = now
	}
	if start < len(s) {
		all = append(all, s[start:])
	}
	return all
}

// visible returns a text with its control characters as escapes: they would be invisible.
func visible(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r != '\n' && !unicode.IsGraphic(r) {
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}
