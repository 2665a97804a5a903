package survey

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Journal writes the steps of a comparison to a file, one in a line, so that an
// interrupted comparison can continue. A nil Journal writes nothing.
type Journal struct {
	file *os.File
	old  *bufio.Reader // steps of the previous run; nil once all are read
}

const journalFile = "journal.ndjson"

// Subject is the first line of a journal. It identifies the comparison.
type Subject struct {
	Journal   string   `json:"journal"`
	Config    string   `json:"config"` // a hash of it
	Candidate string   `json:"candidate"`
	Languages []string `json:"languages"`
	Sample    int      `json:"sample"`
}

// journalForm is the version of the format.
const journalForm = "calfacade diff 1"

var (
	errUnfinished = errors.New("has the journal of an interrupted comparison: continue it with --resume, replace it with --force, or use another directory")
	errFinished   = errors.New("has the report of a comparison: replace it with --force, or use another directory")
	errOther      = errors.New("has the journal of another configuration, candidate, selection of languages or sample")
	errMisfit     = errors.New("the journal does not match this comparison")
)

// Existing selects what happens to a journal that a directory has.
type Existing int

// The choices.
const (
	Refuse Existing = iota
	Resume
	Replace
)

// OpenJournal opens the journal in a directory, which it creates.
func OpenJournal(dir string, of Subject, existing Existing) (*Journal, error) {
	of.Journal = journalForm
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(filepath.Join(dir, journalFile), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	j := &Journal{file: file}
	if err := j.begin(of, existing); err != nil {
		_ = file.Close() // nothing was written
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	return j, nil
}

// begin reads an existing journal up to its last complete item or list.
func (j *Journal) begin(of Subject, existing Existing) error {
	head, err := json.Marshal(of)
	if err != nil {
		return err
	}
	if existing == Replace {
		return j.start(head)
	}
	was, end, done, err := j.scan()
	switch {
	case err != nil:
		return err
	case was == nil:
		return j.start(head)
	case existing == Refuse && done:
		return errFinished
	case existing == Refuse:
		return errUnfinished
	case !bytes.Equal(was, head):
		return errOther
	}
	if err := j.file.Truncate(end); err != nil {
		return err
	}
	if _, err := j.file.Seek(end, io.SeekStart); err != nil {
		return err
	}
	j.old = bufio.NewReader(io.NewSectionReader(j.file, int64(len(head)+1), end-int64(len(head)+1)))
	return nil
}

// start overwrites the file.
func (j *Journal) start(head []byte) error {
	if err := j.file.Truncate(0); err != nil {
		return err
	}
	if _, err := j.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	return j.line(head)
}

// scan returns the first line, nil for an empty file, the offset behind the last
// complete item or list, and whether the comparison is done. A process that was killed
// may leave an incomplete list or line.
func (j *Journal) scan() (head []byte, end int64, done bool, err error) {
	lines := bufio.NewReader(j.file)
	var at int64
	for n := 1; ; n++ {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return head, end, done, nil
		}
		if err != nil {
			return nil, 0, false, err
		}
		at += int64(len(line))
		var read struct {
			Journal, Step string
			End           bool
		}
		if err := json.Unmarshal(line, &read); err != nil || n == 1 && read.Journal != journalForm {
			return nil, 0, false, fmt.Errorf("%s: line %d is not of a journal of this version", journalFile, n)
		}
		if n == 1 {
			head, end = bytes.TrimSuffix(line, []byte("\n")), at
			continue
		}
		if done = read.Step == lastStep; read.End {
			end = at
		}
	}
}

func (j *Journal) write(s step) error {
	if j == nil {
		return nil
	}
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return j.line(data)
}

func (j *Journal) line(data []byte) error {
	_, err := j.file.Write(append(data, '\n'))
	return err
}

// finish writes the last step.
func (j *Journal) finish() error { return j.write(step{Name: lastStep}) }

func (j *Journal) Close() error {
	if j == nil {
		return nil
	}
	return j.file.Close()
}

// next returns the next step of the previous run, which must have that name. ok is false
// after the last one.
func (j *Journal) next(name string) (s step, ok bool, err error) {
	if j == nil || j.old == nil {
		return s, false, nil
	}
	line, err := j.old.ReadBytes('\n')
	if errors.Is(err, io.EOF) {
		j.old = nil
		return s, false, nil
	}
	if err == nil {
		err = json.Unmarshal(line, &s)
	}
	if err == nil && s.Name != name {
		err = errMisfit
	}
	return s, err == nil, err
}
