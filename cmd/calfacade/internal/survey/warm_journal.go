package survey

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/calfacade/calfacade/proxy/recording"
)

// WarmJournal notes what a [Warmer] has requested, one item in a line, so that an interrupted
// run can continue. It holds the ids of the items of incomplete cells in memory. A nil WarmJournal
// notes nothing.
type WarmJournal struct {
	file  *os.File
	items map[string]map[string]bool // ids that the interrupted run requested, by cell
	ended map[string]int             // steps of the cells that it completed
}

// WarmSubject is the first line of a journal. It identifies what is warmed.
type WarmSubject struct {
	Journal string            `json:"journal"`
	Roots   map[string]string `json:"roots"` // of the languages
}

// warmForm is the version of the format.
const warmForm = "calfacade warm 1"

// warmed is a line of the journal: an item, or with End a cell.
type warmed struct {
	Cell  string `json:"cell"`
	ID    string `json:"id,omitempty"`
	End   bool   `json:"end,omitempty"`
	Steps int    `json:"steps,omitempty"` // of a cell
}

// repeated is how many items of an interrupted run are requested again, the last ones: an
// instance that records may have been killed with their responses in its queue.
const repeated = recording.MaxWaiting / callsOfItem

// callsOfItem is the maximum number of calls that read an item: by its id, and by its slug.
const callsOfItem = 2

var errOtherWarm = errors.New("is the journal of another instance or selection of languages: remove it, or name another file")

// OpenWarmJournal opens the journal in a file, which it creates.
func OpenWarmJournal(name string, of WarmSubject) (*WarmJournal, error) {
	of.Journal = warmForm
	head, err := json.Marshal(of)
	if err != nil {
		return nil, err
	}
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600) // #nosec G304 -- the operator names it
	if err != nil {
		return nil, err
	}
	j := &WarmJournal{file: file, items: map[string]map[string]bool{}, ended: map[string]int{}}
	if err := j.begin(head); err != nil {
		_ = file.Close() // nothing was written
		return nil, fmt.Errorf("%s %w", name, err)
	}
	return j, nil
}

// begin reads the complete lines of an interrupted run, and writes the first line of a new one.
func (j *WarmJournal) begin(head []byte) error {
	lines := bufio.NewReader(j.file)
	var last []warmed // the items that will be requested again
	var at int64
	for {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) { // what follows the last complete line was being written
			if at == 0 && !bytes.HasPrefix(head, line) {
				return errOtherWarm
			}
			break
		}
		if err != nil {
			return err
		}
		if at == 0 && !bytes.Equal(line, append(head, '\n')) {
			return errOtherWarm
		}
		if at > 0 {
			var w warmed
			if err := json.Unmarshal(line, &w); err != nil {
				return fmt.Errorf("is damaged: %w", err)
			}
			last = j.take(w, last)
		}
		at += int64(len(line))
	}
	for _, w := range last {
		delete(j.items[w.Cell], w.ID)
		delete(j.ended, w.Cell)
	}
	for cell := range j.ended {
		delete(j.items, cell)
	}
	if err := j.file.Truncate(at); err != nil {
		return err
	}
	if _, err := j.file.Seek(at, io.SeekStart); err != nil || at > 0 {
		return err
	}
	_, err := j.file.Write(append(head, '\n'))
	return err
}

// take adds a line, and returns the last items with it.
func (j *WarmJournal) take(w warmed, last []warmed) []warmed {
	if w.End {
		j.ended[w.Cell] = w.Steps
		return last
	}
	if j.items[w.Cell] == nil {
		j.items[w.Cell] = map[string]bool{}
	}
	j.items[w.Cell][w.ID] = true
	if last = append(last, w); len(last) > repeated {
		last = last[1:]
	}
	return last
}

// steps returns how many steps a completed cell had; 0 for others.
func (j *WarmJournal) steps(c cell) int {
	if j == nil {
		return 0
	}
	return j.ended[c.String()]
}

// has reports whether an item was requested before.
func (j *WarmJournal) has(c cell, id string) bool {
	return j != nil && j.items[c.String()][id]
}

// item notes an item without failures.
func (j *WarmJournal) item(c cell, id string) error {
	return j.note(warmed{Cell: c.String(), ID: id})
}

// end notes a cell without failures.
func (j *WarmJournal) end(c cell, steps int) error {
	return j.note(warmed{Cell: c.String(), End: true, Steps: steps})
}

func (j *WarmJournal) note(w warmed) error {
	if j == nil {
		return nil
	}
	line, err := json.Marshal(w)
	if err != nil {
		return err
	}
	_, err = j.file.Write(append(line, '\n'))
	return err
}

// Close closes the journal. It removes that of a run that is done, so that the next one
// requests everything.
func (j *WarmJournal) Close(done bool) error {
	if j == nil {
		return nil
	}
	err := j.file.Close()
	if done {
		err = errors.Join(err, os.Remove(j.file.Name()))
	}
	return err
}
