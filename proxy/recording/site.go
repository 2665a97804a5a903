package recording

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/calfacade/calfacade/mapping/siteurl"
	"github.com/calfacade/calfacade/proxy/upstream"
)

const (
	formVersion = 1 // of the files; a newer one is refused
	siteFile    = "recording.json"
)

// Site describes what a recording holds responses of.
type Site struct {
	Version  int       `json:"version"`
	Made     time.Time `json:"made"`    // when the recording was started
	Program  string    `json:"program"` // version of the program that started it
	Backends []Backend `json:"backends"`
}

// Backend is a backend as it was recorded. Replayed responses must be rewritten by these
// values and not by the current configuration.
type Backend struct {
	Name          string   `json:"name"` // [upstream.LegacyName], or that of the configuration
	Namespace     string   `json:"namespace"`
	LanguageParam string   `json:"language_param"`
	SiteAliases   []string `json:"site_aliases,omitempty"`
	WordPressURL  string   `json:"wordpress_url,omitempty"` // prefix of image URLs; "" is the site
	Roots         []Root   `json:"roots"`                   // in the order of the languages
}

// Root is the REST root of a language.
type Root struct {
	Language    string   `json:"language"`
	URL         string   `json:"url"`                    // in the form of [siteurl.Root]
	SiteAliases []string `json:"site_aliases,omitempty"` // other spellings of its site
	Tell        string   `json:"tell,omitempty"`         // the backend's code of the language; "" is Language
}

// Root returns the URL of a language's root; "" if there is none.
func (b *Backend) Root(language string) string { return b.root(language).URL }

// Aliases returns the other spellings of the site in the links of a language.
func (b *Backend) Aliases(language string) []string { return b.root(language).SiteAliases }

// Tell returns the backend's code of a language; "" if it is the same.
func (b *Backend) Tell(language string) string { return b.root(language).Tell }

func (b *Backend) root(language string) Root {
	for _, r := range b.Roots {
		if r.Language == language {
			return r
		}
	}
	return Root{}
}

// rootName names a root without its URL: by language, and by backend if that is not the
// legacy. It is part of file names, where [upstream.RootName] would not fit.
func (b *Backend) rootName(r Root) string {
	if b.Name == upstream.LegacyName {
		return r.Language
	}
	return b.Name + "." + r.Language
}

// knownRoot is a root that calls are matched with.
type knownRoot struct {
	name      string
	url       string // as requests spell it
	namespace string
}

// knownRoots returns the roots, the longest URL first because one may be the prefix of
// another. If languages or backends share a URL, the first names it.
func (s *Site) knownRoots() []knownRoot {
	var all []knownRoot
	for i := range s.Backends {
		b := &s.Backends[i]
		for _, r := range b.Roots {
			spelled := r.URL
			if req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, r.URL, nil); err == nil {
				spelled = req.URL.String()
			}
			if !slices.ContainsFunc(all, func(k knownRoot) bool { return k.url == spelled }) {
				all = append(all, knownRoot{b.rootName(r), spelled, b.Namespace})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b knownRoot) int { return len(b.url) - len(a.url) })
	return all
}

var plainName = regexp.MustCompile(`^[a-z0-9-]+$`)

// problem returns why s does not describe a recording; "" if it does.
func (s *Site) problem() string {
	var names []string
	for i := range s.Backends {
		b := &s.Backends[i]
		for _, r := range b.Roots {
			if !siteurl.IsRoot(r.URL) {
				return "the url of a root is not a plain http or https URL without a slash at its end"
			}
			if !plainName.MatchString(b.Name) || !plainName.MatchString(r.Language) {
				return "the name of a backend or a language has characters other than a-z, 0-9 and -"
			}
			names = append(names, b.rootName(r))
		}
	}
	slices.Sort(names)
	switch {
	case len(names) == 0:
		return "it has no roots"
	case len(slices.Compact(slices.Clone(names))) < len(names):
		return "it lists a root twice"
	}
	return ""
}

var errNoRecording = errors.New("is not a recording: it has no " + siteFile)

// readSite reads the description of the recording in dir.
func readSite(dir string) (Site, error) {
	var site Site
	file := filepath.Join(dir, siteFile)
	data, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return site, fmt.Errorf("%s %w", dir, errNoRecording)
	}
	if err != nil {
		return site, err
	}
	var form struct{ Version int }
	if err := json.Unmarshal(data, &form); err != nil {
		return site, fmt.Errorf("%s: %w", file, err)
	}
	if form.Version > formVersion {
		return site, fmt.Errorf("%s: version %d was made by a newer calfacade; this one reads up to %d", file, form.Version, formVersion)
	}
	err = decodeStrictly(data, &site)
	if err == nil && form.Version < 1 {
		err = errors.New("it has no version")
	}
	if problem := site.problem(); err == nil && problem != "" {
		err = errors.New(problem)
	}
	if err != nil {
		return site, fmt.Errorf("%s: %w", file, err)
	}
	return site, nil
}

// Progress is the state of a recording while it is made.
type Progress struct {
	Counts
	Kinds map[string]uint64 // Kept by what the calls are about, such as "events"
	Calls int               // different calls, those of earlier runs included
	Bytes int64             // of the files of all calls
	Last  string            // the call that was written last, below its namespace; "" for none
}

// Progress returns the state of the recording.
func (r *Recorder) Progress() Progress {
	p := r.written.progress()
	p.Counts = r.counted()
	return p
}

// written has what the writing goroutine shows of its work.
type written struct {
	mu    sync.Mutex
	shown Progress // without its Counts
}

// add counts a call that was written, and sets the totals.
func (w *written) add(c *call, namespace string, calls int, bytes int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.shown.Kinds == nil {
		w.shown.Kinds = map[string]uint64{}
	}
	w.shown.Kinds[c.resource(namespace)]++
	short := *c
	short.Path = cmp.Or(strings.TrimPrefix(c.Path, "/"+namespace), "/")
	w.shown.Calls, w.shown.Bytes, w.shown.Last = calls, bytes, short.String()
}

func (w *written) progress() Progress {
	w.mu.Lock()
	defer w.mu.Unlock()
	p := w.shown
	p.Kinds = maps.Clone(p.Kinds)
	return p
}

// namespaceOf returns the namespace of a root, by its name.
func (r *Recorder) namespaceOf(root string) string {
	at := slices.IndexFunc(r.roots, func(k knownRoot) bool { return k.name == root })
	if at < 0 {
		return ""
	}
	return r.roots[at].namespace
}
