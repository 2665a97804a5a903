package config

import "fmt"

// maxEdits is the maximum number of edits between similar names.
const maxEdits = 2

// Name returns the one of names that is most like an unknown one; "" if none is.
func Name(unknown string, names []string) string {
	best, distance := "", maxEdits+1
	for _, name := range names {
		// Half of a short name is another name.
		if n := edits(unknown, name); n < distance && 2*n < len(name) {
			best, distance = name, n
		}
	}
	return best
}

// Hint returns a question to append to an error; "" if no name is similar.
func Hint(unknown string, names []string) string {
	if best := Name(unknown, names); best != "" {
		return fmt.Sprintf(": did you mean %q?", best)
	}
	return ""
}

// edits returns the number of characters that must be inserted, deleted, replaced or swapped with
// the next one to turn a into b.
func edits(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
		for j := 1; j <= len(b); j++ {
			if i == 0 {
				rows[i][j] = j
				continue
			}
			replaced := rows[i-1][j-1]
			if a[i-1] != b[j-1] {
				replaced++
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, replaced)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
