package survey

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/calfacade/calfacade/mapping/compare"
)

// Journal notes the items that a comparison has compared, one in a line, so that the next comparison
// continues an interrupted one. A nil Journal notes nothing.
type Journal struct {
	file *os.File
	done map[[3]string]compare.Step // of the interrupted comparison, by language, resource and id
}

// OpenJournal creates the directory, opens the journal of a comparison, and reads the notes of an interrupted
// comparison. hash identifies the comparison, and is a part of the name of the file.
func OpenJournal(dir, hash string) (*Journal, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	// #nosec G304 -- the operator names the directory
	file, err := os.OpenFile(filepath.Join(dir, "journal-"+hash+".ndjson"), os.O_APPEND|os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(file)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	j := &Journal{file: file, done: map[[3]string]compare.Step{}}
	for line := range bytes.Lines(data) {
		var s compare.Step
		if json.Unmarshal(line, &s) == nil { // not the line that a killed process was writing
			j.done[keyOf(s)] = s
		}
	}
	_, err = file.WriteString("\n") // behind such a line
	return j, err
}

func keyOf(s compare.Step) [3]string { return [3]string{s.Language, s.Resource, s.ID} }

// earlier returns the comparison of an item by the interrupted comparison.
func (j *Journal) earlier(s compare.Step) (comparison compare.Step, ok bool) {
	if j != nil {
		comparison, ok = j.done[keyOf(s)]
	}
	return comparison, ok
}

// note notes an item without failures.
func (j *Journal) note(s compare.Step) error {
	_, again := j.earlier(s)
	if j == nil || again || s.ID == "" || len(s.Failed) > 0 {
		return nil
	}
	line, err := json.Marshal(s)
	if err != nil {
		return err
	}
	_, err = j.file.Write(append(line, '\n'))
	return err
}

// Close closes the journal, and removes the file after the whole comparison.
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
