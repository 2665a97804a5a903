package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// purgeJournal is a directory for purges that have not reached Redis when the process
// ends. The next process sends them. An empty dir disables it.
type purgeJournal struct {
	dir    string
	loaded []string // files that were read, and whose purges are not in Redis yet
}

var errPurgesLost = errors.New("purges have not reached Redis, and cache.state_dir is not set: other instances serve outdated responses until these expire")

// journalPattern matches the files of the journal.
const journalPattern = "purges-*.json"

// load returns the purges that earlier processes have left.
func (j *purgeJournal) load() (records [][]byte, err error) {
	if j.dir == "" {
		return nil, nil
	}
	f, err := os.CreateTemp(j.dir, "check-") // a directory that is not writable fails the start, not the shutdown
	if err != nil {
		return nil, fmt.Errorf("cache.state_dir: %w", err)
	}
	if err := errors.Join(f.Close(), os.Remove(f.Name())); err != nil {
		return nil, fmt.Errorf("cache.state_dir: %w", err)
	}
	files, err := filepath.Glob(filepath.Join(j.dir, journalPattern))
	if err != nil {
		return nil, fmt.Errorf("cache.state_dir: %w", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("cache.state_dir: %w", err)
		}
		var some [][]byte
		if err := json.Unmarshal(data, &some); err != nil {
			return nil, fmt.Errorf("cache.state_dir: %s: %w", file, err)
		}
		records = append(records, some...)
	}
	j.loaded = files
	return records, nil
}

// leave writes the remaining purges, loaded ones included, for the next process.
func (j *purgeJournal) leave(records [][]byte) error {
	if len(records) == 0 {
		return j.clear()
	}
	if j.dir == "" {
		return errPurgesLost
	}
	data, err := json.Marshal(records)
	if err != nil {
		panic("BUG: no JSON: " + err.Error())
	}
	f, err := os.CreateTemp(j.dir, journalPattern)
	if err != nil {
		return fmt.Errorf("%w (cache.state_dir: %w)", errPurgesLost, err)
	}
	_, err = f.Write(data)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("%w (cache.state_dir: %w)", errPurgesLost, err)
	}
	return j.clear()
}

// clear removes the loaded files: their purges are in Redis, or in a new file.
func (j *purgeJournal) clear() error {
	var problems []error
	for _, file := range j.loaded {
		if err := os.Remove(file); err != nil && !errors.Is(err, os.ErrNotExist) {
			problems = append(problems, fmt.Errorf("cache.state_dir: %w", err))
		}
	}
	j.loaded = nil
	return errors.Join(problems...)
}
