package config

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// similarKey returns a hint if the section of a Go type has a key like an unknown one; "" if it
// has none.
func similarKey(unknown, section string) string {
	return Hint(unknown, namesIn(reflect.TypeFor[Config](), section))
}

// similarEnv returns a hint if there is a variable like an unknown one; "" if there is none.
func (c *Config) similarEnv(unknown string) string {
	var names []string
	for k := range keyValues("", c) {
		if err := setText(reflect.New(k.value.Type()).Elem(), ""); !errors.Is(err, errNoText) {
			names = append(names, variable(k.path))
		}
	}
	return Hint(unknown, names)
}

// namesIn returns the keys of the section with a Go type, which is in t or t itself.
func namesIn(t reflect.Type, section string) []string {
	for t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	var names []string
	for field := range t.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("yaml"), ",")
		switch below := namesIn(field.Type, section); {
		case len(below) > 0:
			return below
		case t.Name() == section && name != "" && name != "-":
			names = append(names, name)
		}
	}
	return names
}

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
