package config

import "fmt"

// maxEdits is the maximum number of edits between similar names.
const maxEdits = 2

// Hint returns a question to append to an error: whether the name that is most like an unknown one
// was meant; "" if no name is similar.
func Hint(unknown string, names []string) string {
	hint, distance := "", maxEdits+1
	for _, name := range names {
		// Half of a short name is another name.
		if n := edits(unknown, name); n < distance && 2*n < len(name) {
			hint, distance = fmt.Sprintf(": did you mean %q?", name), n
		}
	}
	return hint
}

// edits returns the number of characters that must be inserted, deleted or replaced to turn a into b.
func edits(a, b string) int {
	row := make([]int, len(b)+1) // of the characters of a so far, and each beginning of b
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(diagonal+1, row[j]+1, replaced)
		}
	}
	return row[len(b)]
}
