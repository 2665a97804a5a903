package recording

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/proxy/upstream"
)

// Replay responds to calls from a recording and makes no calls. Credentials are ignored: every
// client gets the recorded responses. No response is in memory, and no list of responses: a call
// has the name of its file. Replay is safe for concurrent use.
type Replay struct {
	*recorded
	log *zap.Logger
}

// OpenReplay checks the recording in dir. A nil log logs nothing.
func OpenReplay(dir string, log *zap.Logger) (*Replay, error) {
	if log == nil {
		log = zap.NewNop()
	}
	r, err := load(dir)
	if err != nil {
		return nil, fmt.Errorf("replay: %w", err)
	}
	log.Info("replaying: no call is made to the site", zap.String("dir", dir), zap.Int("calls", r.calls), zap.Time("made", r.site.Made))
	return &Replay{recorded: r, log: log}, nil
}

// Root returns a backend and the backend's root of a language, by their names. A proxy on a replay must
// use them: the recorded links begin with the roots.
func (p *Replay) Root(backend, language string) (Backend, Root, error) {
	for _, b := range p.site.Backends {
		for _, r := range b.Roots {
			if b.Name == backend && r.Language == language {
				return b, r, nil
			}
		}
	}
	return Backend{}, Root{}, fmt.Errorf("the recording in %s lacks %s in %q", p.dir, backend, language)
}

// Wrap returns a transport that replaces the given transport and never calls it, for Wrap of
// [upstream.Options].
func (p *Replay) Wrap(http.RoundTripper) http.RoundTripper { return p }

// RoundTrip implements [http.RoundTripper].
func (p *Replay) RoundTrip(req *http.Request) (*http.Response, error) {
	c, _ := identify(p.roots, req)
	if req.Body != nil {
		_ = req.Body.Close() // unread: a failed close loses nothing
	}
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	file := c.file(p.roots)
	message := "not recorded"
	e, _, err := p.read(file) // checked once more: the file may have changed since the start
	switch {
	case err == nil:
		return e.response(req), nil
	case file == "", errors.Is(err, fs.ErrNotExist):
		err = nil
	default:
		message = "recorded response is damaged"
	}
	p.log.Warn(message, zap.String("dir", p.dir), zap.String("root", c.Root), zap.Stringer("call", &c), zap.String("file", file),
		zap.Error(err))
	return nil, upstream.ErrNotRecorded
}

// recorded is a recording that was checked. The responses stay in their files.
type recorded struct {
	dir   string
	site  Site
	roots []knownRoot
	calls int
	bytes int64 // of the files of the calls
}

// maxNamed limits how many files an error names.
const maxNamed = 10

// load reads every file of a recording. A file that does not belong to the recording is an error, and
// the error names the first of them, because a response that is silently missing would be looked
// for in the wrong place. Names that begin with a dot are ignored: unfinished files, and files
// of version control.
func load(dir string) (*recorded, error) {
	site, err := readSite(dir)
	if err != nil {
		return nil, err
	}
	r := &recorded{dir: dir, site: site, roots: site.knownRoots()}
	var problems []error
	err = fs.WalkDir(os.DirFS(dir), ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && name != "." && hidden(e.Name()):
			return fs.SkipDir
		case e.IsDir(), hidden(e.Name()), name == siteFile:
			return nil
		}
		_, size, err := r.read(name)
		if err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", r.path(name), err))
		}
		if len(problems) == maxNamed {
			return errors.New("there may be more such files")
		}
		r.calls = r.calls + 1
		r.bytes = r.bytes + size
		return nil
	})
	return r, errors.Join(append(problems, err)...)
}

// hidden reports whether a file or a directory is not part of a recording.
func hidden(name string) bool { return strings.HasPrefix(name, ".") }

// path returns the path of a file, by the name below the directory.
func (r *recorded) path(name string) string { return filepath.Join(r.dir, filepath.FromSlash(name)) }

// read reads the file of a call.
func (r *recorded) read(name string) (e *exchange, size int64, err error) {
	data, err := os.ReadFile(r.path(name))
	if err != nil {
		return nil, 0, err
	}
	e, err = decodeExchange(data, name, r.roots)
	return e, int64(len(data)), err
}
