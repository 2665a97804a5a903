package recording

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	strictjson "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/calfacade/calfacade/mapping/siteurl"
	"github.com/calfacade/calfacade/proxy/upstream"
)

const (
	formVersion = 1 // of the files; a newer one is refused
	siteFile    = "recording.json"
)

// Site describes the recorded site.
type Site struct {
	Version  int       `json:"version"`
	Made     time.Time `json:"made"`    // when the recording was started
	Program  string    `json:"program"` // version of the program that started the recording
	Backends []Backend `json:"backends"`
}

// Backend is a backend at the time of the recording. Replayed responses must be rewritten by these
// values and not by the current configuration.
type Backend struct {
	Name          string   `json:"name"` // [upstream.LegacyName], or the name in the configuration
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
	SiteAliases []string `json:"site_aliases,omitempty"` // other spellings of the site
	Tell        string   `json:"tell,omitempty"`         // the backend's code of the language; "" is Language
}

// rootName returns [upstream.RootName] in a form for names of files.
func (b *Backend) rootName(r Root) string {
	return strings.ReplaceAll(upstream.RootName(b.Name, r.Language), ":", ".")
}

// knownRoot is a root that calls are matched with.
type knownRoot struct {
	name      string
	url       string // in the spelling of requests
	namespace string
}

// knownRoots returns the roots, the longest URL first because one may be the prefix of
// another. If languages or backends share a URL, the first gives the name.
func (s *Site) knownRoots() []knownRoot {
	var roots []knownRoot
	for i := range s.Backends {
		b := &s.Backends[i]
		for _, r := range b.Roots {
			spelled := r.URL
			if req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, r.URL, nil); err == nil {
				spelled = req.URL.String()
			}
			if !slices.ContainsFunc(roots, func(k knownRoot) bool { return k.url == spelled }) {
				roots = append(roots, knownRoot{name: b.rootName(r), url: spelled, namespace: b.Namespace})
			}
		}
	}
	slices.SortStableFunc(roots, func(a, b knownRoot) int { return len(b.url) - len(a.url) })
	return roots
}

var plainName = regexp.MustCompile(`^[a-z0-9-]+$`)

// check returns why s does not describe a recording.
func (s *Site) check() error {
	if s.Version < 1 {
		return errors.New("it has no version")
	}
	if len(s.knownRoots()) == 0 {
		return errors.New("it has no roots")
	}
	for _, b := range s.Backends {
		for _, r := range b.Roots {
			switch {
			case !siteurl.IsRoot(r.URL):
				return errors.New("the url of a root is not a plain http or https URL without a slash at its end")
			case !plainName.MatchString(b.Name), !plainName.MatchString(r.Language):
				return errors.New("the name of a backend or a language has characters other than a-z, 0-9 and -")
			}
		}
	}
	return nil
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
	if err = json.Unmarshal(data, &form); err == nil && form.Version > formVersion {
		err = fmt.Errorf("version %d was made by a newer calfacade; this one reads up to %d", form.Version, formVersion)
	}
	if err == nil {
		err = decodeStrictly(data, &site)
	}
	if err == nil {
		err = site.check()
	}
	if err != nil {
		return site, fmt.Errorf("%s: %w", file, err)
	}
	return site, nil
}

// decodeStrictly reads one JSON value. v must have all members of the value. A recorded body may repeat a name.
func decodeStrictly(data []byte, v any) error {
	return strictjson.Unmarshal(data, v, strictjson.RejectUnknownMembers(true), jsontext.AllowDuplicateNames(true))
}

// encodeReadably writes JSON for people and for diff.
func encodeReadably(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		panic("BUG: " + err.Error())
	}
	return b.Bytes()
}
