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

// Journal keeps the steps of a comparison in a file, a line each, so that one
// that was cut off goes on where it was. A nil one keeps nothing.
type Journal struct {
	file *os.File
	old  *bufio.Reader // steps of a run before; nil once they are used up
}

const journalFile = "journal.ndjson"

// Subject is the first line: what the steps are of. Another comparison has
// another.
type Subject struct {
	Journal   string   `json:"journal"`
	Config    string   `json:"config"` // a hash of it
	Candidate string   `json:"candidate"`
	Languages []string `json:"languages"`
	Sample    int      `json:"sample"`
}

// journalForm is the form that this program writes.
const journalForm = "calfacade diff 1"

var (
	errUnfinished = errors.New("has the journal of a comparison that was cut off: go on with --resume, or take another directory")
	errOther      = errors.New("has the journal of another configuration, candidate, choice of languages or sample")
	errMisfit     = errors.New("the journal is not of what there is to do")
)

// lastStep is the name of the step that ends a journal.
const lastStep = "done"

// OpenJournal opens the journal in a directory, which is made. With resume it goes on with
// what is there.
func OpenJournal(dir string, of Subject, resume bool) (*Journal, error) {
	of.Journal = journalForm
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(filepath.Join(dir, journalFile), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	j := &Journal{file: file}
	if err := j.begin(of, resume); err != nil {
		_ = file.Close() // nothing was written
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	return j, nil
}

// begin finds what there is, and where the last item or list ends that is whole.
func (j *Journal) begin(of Subject, resume bool) error {
	head, err := json.Marshal(of)
	if err != nil {
		return err
	}
	was, end, done, err := j.scan()
	switch {
	case err != nil:
		return err
	case was == nil:
		return j.start(head)
	case !resume && !done:
		return errUnfinished
	case !resume:
		return j.start(head)
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

// start forgets what was in the file.
func (j *Journal) start(head []byte) error {
	if err := j.file.Truncate(0); err != nil {
		return err
	}
	if _, err := j.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	return j.line(head)
}

// scan gives the first line, nil for an empty file, where the last whole item or
// list ends, and whether all is done. A process that was killed leaves half a list,
// and half a line.
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
		var told struct {
			Journal, Step string
			End           bool
		}
		if err := json.Unmarshal(line, &told); err != nil || n == 1 && told.Journal != journalForm {
			return nil, 0, false, fmt.Errorf("%s: line %d is not of a journal of this version", journalFile, n)
		}
		if n == 1 {
			head, end = bytes.TrimSuffix(line, []byte("\n")), at
			continue
		}
		if done = told.Step == lastStep; told.End {
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

// finish notes that there is no more to do.
func (j *Journal) finish() error { return j.write(step{Name: lastStep}) }

func (j *Journal) Close() error {
	if j == nil {
		return nil
	}
	return j.file.Close()
}

// next gives the next step of the run before, which must have that name. ok is
// false when they are used up.
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
