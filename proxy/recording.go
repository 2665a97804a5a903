package proxy

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/calfacade/calfacade/mapping/siteurl"
)

// A recording is a directory: recording.json, which says of what, and a file for
// each call. recording_call.go tells what makes a call the same, recording_file.go
// what is kept of its answer, recording_load.go reads it all, recording_write.go
// makes it, replay.go answers from it.

const (
	recordingVersion = 1 // of the form; a program reads no newer one
	aboutFile        = "recording.json"

	unfinished = ".tmp-" // begins the names of files that are being written
)

// RecordedSite says what a recording holds answers of.
type RecordedSite struct {
	Version  int               `json:"version"`
	Made     time.Time         `json:"made"`
	Program  string            `json:"program"` // the version that made it
	Backends []RecordedBackend `json:"backends"`
}

// RecordedBackend is how a backend was spoken to, and how it spells itself in its
// answers: what is replayed must be rewritten by these, and not by what a
// configuration says now.
type RecordedBackend struct {
	Name          string         `json:"name"` // [LegacyName], or that of the configuration
	Namespace     string         `json:"namespace"`
	LanguageParam string         `json:"language_param"`
	SiteAliases   []string       `json:"site_aliases,omitempty"`
	WordPressURL  string         `json:"wordpress_url,omitempty"` // that its images are below; "" is the site
	Roots         []RecordedRoot `json:"roots"`                   // in the order of the languages
}

// RecordedRoot is the REST root of a language.
type RecordedRoot struct {
	Language    string   `json:"language"`
	URL         string   `json:"url"`                    // as [mapping.RESTRoot] has it
	SiteAliases []string `json:"site_aliases,omitempty"` // other spellings of its site
	Tell        string   `json:"tell,omitempty"`         // what the backend calls the language; "" is Language
}

// Root gives the URL of a language's root; "" if there is none.
func (b *RecordedBackend) Root(language string) string { return b.root(language).URL }

// Aliases gives the other spellings of the site in the links of a language.
func (b *RecordedBackend) Aliases(language string) []string { return b.root(language).SiteAliases }

// Told gives what the backend calls a language; "" is its code.
func (b *RecordedBackend) Told(language string) string { return b.root(language).Tell }

func (b *RecordedBackend) root(language string) RecordedRoot {
	for _, r := range b.Roots {
		if r.Language == language {
			return r
		}
	}
	return RecordedRoot{}
}

// rootName names a root without its URL: by the language, and by the backend if
// that is not the legacy.
func (b *RecordedBackend) rootName(r RecordedRoot) string {
	if b.Name == LegacyName {
		return r.Language
	}
	return b.Name + "." + r.Language
}

// place is a root of a recording, as calls are told apart.
type place struct {
	name      string
	url       string // as requests spell it
	namespace string
}

// places lists the roots, the longest URL first, since one may begin another.
// Languages and backends may share one: then the first names it.
func (s *RecordedSite) places() []place {
	var all []place
	for i := range s.Backends {
		b := &s.Backends[i]
		for _, r := range b.Roots {
			spelled := r.URL
			if req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, r.URL, nil); err == nil {
				spelled = req.URL.String()
			}
			if !slices.ContainsFunc(all, func(p place) bool { return p.url == spelled }) {
				all = append(all, place{b.rootName(r), spelled, b.Namespace})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b place) int { return len(b.url) - len(a.url) })
	return all
}

var plainName = regexp.MustCompile(`^[a-z0-9-]+$`)

// problem says why s is no description of a recording; "" if it is one.
func (s *RecordedSite) problem() string {
	var names []string
	for i := range s.Backends {
		b := &s.Backends[i]
		for _, r := range b.Roots {
			if !isRoot(r.URL) {
				return "a root's url is no http or https URL, bare and without a slash at its end"
			}
			if !plainName.MatchString(b.Name) || !plainName.MatchString(r.Language) {
				return "a backend's name or a language is not made of a-z, 0-9 and -"
			}
			names = append(names, b.rootName(r))
		}
	}
	slices.Sort(names)
	switch {
	case len(names) == 0:
		return "there are no roots"
	case len(slices.Compact(slices.Clone(names))) < len(names):
		return "a root is there twice"
	}
	return ""
}

func isRoot(raw string) bool {
	u, err := url.Parse(raw)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil &&
		(siteurl.IsPlain(raw) || !strings.Contains(raw, "?")) && !strings.Contains(raw, "#") && siteurl.Root(raw) == raw
}

var errNoRecording = errors.New("is no recording: there is no " + aboutFile)

// aboutRecording reads what the recording in dir is of.
func aboutRecording(dir string) (RecordedSite, error) {
	var site RecordedSite
	data, err := os.ReadFile(filepath.Join(dir, aboutFile))
	if errors.Is(err, os.ErrNotExist) {
		return site, fmt.Errorf("%s %w", dir, errNoRecording)
	}
	if err != nil {
		return site, err
	}
	var form struct{ Version int }
	if err := json.Unmarshal(data, &form); err != nil {
		return site, fmt.Errorf("%s: %w", filepath.Join(dir, aboutFile), err)
	}
	if form.Version > recordingVersion {
		return site, fmt.Errorf("%s: version %d was made by a newer calfacade; this one reads up to %d", filepath.Join(dir, aboutFile), form.Version, recordingVersion)
	}
	err = decodeStrictly(data, &site)
	if err == nil && form.Version < 1 {
		err = errors.New("there is no version")
	}
	if problem := site.problem(); err == nil && problem != "" {
		err = errors.New(problem)
	}
	if err != nil {
		return site, fmt.Errorf("%s: %w", filepath.Join(dir, aboutFile), err)
	}
	return site, nil
}

// decodeStrictly reads one JSON value, all members of which v must have.
func decodeStrictly(data []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows the value")
	}
	return nil
}

// encodeReadably writes JSON for people, and for diff.
func encodeReadably(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(v)
	return b.Bytes(), err
}
