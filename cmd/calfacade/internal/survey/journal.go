package survey

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Journal notes the items that a comparison has compared, one in a line, so that the next comparison
// continues an interrupted one. A nil Journal notes nothing.
type Journal struct {
	file *os.File
	done map[[3]string]Step // of the interrupted comparison, by language, resource and id
}

const journalFile = "journal.ndjson"

var errOther = errors.New("is of an interrupted comparison with another configuration, candidate, selection of languages or sample: " +
	"remove it, or name another directory")

// OpenJournal opens the journal in a directory, which it creates, and reads what an interrupted
// comparison has noted. of identifies the comparison, and is the first line.
func OpenJournal(dir, of string) (*Journal, error) {
	name := filepath.Join(dir, journalFile)
	before, err := os.ReadFile(name) // #nosec G304 -- the operator names it
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	first, items, _ := bytes.Cut(before, []byte("\n"))
	if len(before) > 0 && string(first) != of {
		return nil, fmt.Errorf("%s %w", name, errOther)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o600) // #nosec G304 -- the same
	if err != nil {
		return nil, err
	}
	j := &Journal{file, map[[3]string]Step{}}
	for line := range bytes.Lines(items) {
		var s Step
		if json.Unmarshal(line, &s) == nil { // not the line that a killed process was writing
			j.done[keyOf(s)] = s
		}
	}
	switch {
	case len(before) == 0:
		_, err = file.WriteString(of + "\n")
	case !bytes.HasSuffix(before, []byte("\n")):
		_, err = file.WriteString("\n")
	}
	return j, err
}

func keyOf(s Step) [3]string { return [3]string{s.Language, s.Resource, s.ID} }

// before returns the comparison of an item by the interrupted comparison.
func (j *Journal) before(s Step) (Step, bool) {
	if j == nil {
		return s, false
	}
	before, ok := j.done[keyOf(s)]
	return before, ok
}

// note notes an item.
func (j *Journal) note(s Step) error {
	if _, again := j.before(s); j == nil || again {
		return nil
	}
	line, err := json.Marshal(s)
	if err != nil {
		return err
	}
	_, err = j.file.Write(append(line, '\n'))
	return err
}

// Close closes the journal, and removes it after the whole comparison.
func (j *Journal) Close(done bool) error {
	if j == nil {
		return nil
	}
	err := j.file.Close()
	if done {
		err = errors.Join(err, os.Remove(j.file.Name()))
	}
	return err
}
