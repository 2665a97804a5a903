package survey

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/causes"
	"github.com/calfacade/calfacade/mapping/compare"
)

// Answers stores the responses of the sites that differ, up to a total size. A nil Answers stores
// nothing.
type Answers struct {
	dir  string // of the report
	left int64  // bytes
}

// answersDir is below the directory of the report.
const answersDir = "answers"

// OpenAnswers opens the directory for answers below dir, which it creates. Files of the previous
// run count, unless existing replaces them. maxBytes is the total size.
func OpenAnswers(dir string, maxBytes int64, existing Existing) (*Answers, error) {
	a := &Answers{dir: dir, left: maxBytes}
	if existing == Replace {
		if err := a.removeAll(); err != nil {
			return nil, err
		}
	}
	if err := os.MkdirAll(filepath.Join(dir, answersDir), 0o700); err != nil {
		return nil, err
	}
	return a, filepath.WalkDir(filepath.Join(dir, answersDir), func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err == nil {
			a.left -= info.Size()
		}
		return err
	})
}

// removeAll removes the answers of a run, and no other file.
func (a *Answers) removeAll() error {
	for _, of := range []string{ofLegacy, ofCandidate} {
		files, err := filepath.Glob(filepath.Join(a.dir, answersDir, "*-????????."+of+"*.json"))
		if err != nil {
			return err
		}
		for _, file := range files {
			if err := os.Remove(file); err != nil {
				return err
			}
		}
	}
	return nil
}

// store stores the responses that the findings of a step compare, and notes their files.
func (a *Answers) store(language string, s *step) error {
	for _, all := range [][]finding{s.Found, s.Also} {
		for i := range all {
			f := &all[i]
			name := fileName(language, f.Call)
			for of, side := range []*causes.Answer{&f.Legacy, &f.Candidate} {
				file, err := a.write(name+"."+[]string{ofLegacy, ofCandidate}[of], f.documents[of].Sources)
				if err != nil {
					return err
				}
				side.File = file
			}
			f.documents = [2]compare.Document{}
		}
	}
	return nil
}

// write writes the bodies of responses, and returns the file of the first; "" if there is no room.
func (a *Answers) write(name string, sources []compare.Source) (first string, err error) {
	if a == nil {
		return "", nil
	}
	for i, source := range sources {
		if source.Body == nil { // of several pages
			return "", nil
		}
		file := filepath.Join(answersDir, name+".json")
		if i > 0 {
			file = filepath.Join(answersDir, fmt.Sprintf("%s.%d.json", name, i+1))
		}
		path := filepath.Join(a.dir, file)
		if _, err := os.Lstat(path); err != nil { // not of a call that was interrupted
			if a.left < int64(len(source.Body)) {
				return first, nil
			}
			a.left -= int64(len(source.Body))
		}
		if err := os.WriteFile(path, source.Body, 0o600); err != nil {
			return "", err
		}
		if i == 0 {
			first = filepath.ToSlash(file)
		}
	}
	return first, nil
}

// maxName is the maximum length of the part of a name that people can read, in bytes.
const maxName = 60

// fileName returns a name for a call, such as "en-events-12-5f1d2a3b".
func fileName(language, call string) string {
	sum := sha256.Sum256([]byte(language + " " + call))
	path, _, _ := strings.Cut(call, "?")
	readable := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' {
			return r
		}
		return '-'
	}, language+path)
	return readable[:min(len(readable), maxName)] + "-" + hex.EncodeToString(sum[:4])
}
