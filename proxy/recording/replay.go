package recording

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/siteurl"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// Replay responds to calls from a recording and makes none. Credentials are ignored: every
// client gets what was recorded. It holds no response in memory, and no list of them: a call
// has the name of its file. It is safe for concurrent use.
type Replay struct {
	dir      string
	log      *zap.Logger
	recorded *loaded
}

// OpenReplay checks the recording in dir, and passes its progress to show. A nil log logs
// nothing, and a nil show shows nothing.
func OpenReplay(dir string, log *zap.Logger, show Checked) (*Replay, error) {
	if log == nil {
		log = zap.NewNop()
	}
	l, err := load(dir, show)
	if err != nil {
		return nil, fmt.Errorf("replay: %w", err)
	}
	return &Replay{dir: dir, log: log, recorded: l}, nil
}

// Backend returns a backend by its name; nil if it was not recorded. A proxy on a replay
// must use its roots: the recorded links begin with them.
func (p *Replay) Backend(name string) *Backend {
	for i := range p.recorded.site.Backends {
		if b := &p.recorded.site.Backends[i]; b.Name == name {
			return b
		}
	}
	return nil
}

// Made returns when the recording was started.
func (p *Replay) Made() time.Time { return p.recorded.site.Made }

// Len returns the number of recorded calls at the start.
func (p *Replay) Len() int { return p.recorded.calls }

// Wrap returns a transport that replaces the given one and never calls it. It fits Wrap of
// [upstream.Options].
func (p *Replay) Wrap(http.RoundTripper) http.RoundTripper { return replayTransport{p} }

type replayTransport struct{ replay *Replay }

// RoundTrip implements [http.RoundTripper].
func (t replayTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	roots := t.replay.recorded.roots
	sent, err := identify(roots, req)
	if req.Body != nil {
		_ = req.Body.Close() // only read: a failed close loses nothing
	}
	if canceled := req.Context().Err(); canceled != nil {
		return nil, canceled
	}
	file := sent.call.file(roots)
	message := "not recorded"
	if err == nil {
		var found *exchange
		if found, err = t.replay.read(file); found != nil {
			return found.response(req), nil
		}
		if err != nil {
			message = "recorded response is damaged"
		}
	}
	t.replay.log.Warn(message, zap.String("dir", t.replay.dir), zap.String("root", sent.call.Root),
		zap.Stringer("call", &sent.call), zap.String("file", file), zap.Error(err))
	return nil, upstream.ErrNotRecorded
}

// read returns the exchange of a file; nil if there is none. It is checked again: the file may
// have changed since the start.
func (p *Replay) read(file string) (*exchange, error) {
	data, err := os.ReadFile(filepath.Join(p.dir, filepath.FromSlash(file)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	e, err := decodeExchange(data, file, p.recorded.roots)
	if err != nil {
		return nil, err
	}
	return e, compact(&e.Body)
}

func (e *exchange) response(req *http.Request) *http.Response {
	body := e.bytes()
	return &http.Response{
		Status: fmt.Sprint(e.Status, " ", http.StatusText(e.Status)), StatusCode: e.Status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: e.header(), Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)), Request: req,
	}
}

// loaded is a recording that was checked. The responses stay in their files.
type loaded struct {
	site  Site
	roots []knownRoot
	calls int
	bytes int64 // of the files of the calls
}

// Checked receives how many files of a recording have been checked, of how many.
type Checked func(done, all int)

// load reads every file of a recording, each worker one at a time. A file that does not
// belong to it is an error, and the error names all such files, because a response that is
// silently missing would be looked for in the wrong place. Names that begin with a dot are
// ignored: unfinished files, and files of version control.
func load(dir string, show Checked) (*loaded, error) {
	site, err := readSite(dir)
	if err != nil {
		return nil, err
	}
	c := checker{loaded: loaded{site: site, roots: site.knownRoots()}, dir: dir, show: show}
	if show == nil {
		c.show = func(int, int) {}
	}
	top, err := visible(dir, ".")
	if err != nil {
		return nil, err
	}
	top = slices.DeleteFunc(top, func(e os.DirEntry) bool { return e.Name() == siteFile })
	if err := c.count(top); err != nil {
		return nil, err
	}
	for _, e := range top {
		if !e.IsDir() {
			c.check(".", []os.DirEntry{e})
			continue
		}
		inside, err := visible(dir, e.Name())
		if err != nil {
			return nil, err
		}
		c.check(e.Name(), inside)
	}
	return &c.loaded, c.bad.err()
}

// visible returns the entries of a folder of a recording, without hidden ones.
func visible(dir, folder string) ([]os.DirEntry, error) {
	all, err := os.ReadDir(filepath.Join(dir, folder))
	return slices.DeleteFunc(all, func(e os.DirEntry) bool { return strings.HasPrefix(e.Name(), ".") }), err
}

// checker checks the files of a recording, one folder after the other: it holds the names of
// one folder, a 256th of all, and the content of a file for each worker.
type checker struct {
	loaded
	dir  string
	show Checked
	all  int // files
	done atomic.Int64
	bad  problems
}

// count counts the files in the folders of top.
func (c *checker) count(top []os.DirEntry) error {
	for _, e := range top {
		inside := []os.DirEntry{e}
		if e.IsDir() {
			var err error
			if inside, err = visible(c.dir, e.Name()); err != nil {
				return err
			}
		}
		c.all += len(inside)
	}
	return nil
}

// maxCheckers limits how many files are checked at once.
const maxCheckers = 8

// check checks the entries of a folder. Problems are in their order.
func (c *checker) check(folder string, entries []os.DirEntry) {
	errs := make([]error, len(entries))
	sizes := make([]int64, len(entries))
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), maxCheckers, len(entries)) {
		workers.Go(func() {
			for i := next.Add(1) - 1; int(i) < len(entries); i = next.Add(1) - 1 {
				sizes[i], errs[i] = c.checkFile(path.Join(folder, entries[i].Name()), entries[i])
				c.show(int(c.done.Add(1)), c.all)
			}
		})
	}
	workers.Wait()
	for i, e := range entries {
		c.bad.add(c.dir, path.Join(folder, e.Name()), errs[i])
		if errs[i] == nil {
			c.calls++
			c.bytes += sizes[i]
		}
	}
}

func (c *checker) checkFile(name string, e os.DirEntry) (size int64, err error) {
	if !e.Type().IsRegular() {
		return 0, errors.New("it does not belong to the recording")
	}
	data, err := os.ReadFile(filepath.Join(c.dir, filepath.FromSlash(name)))
	if err != nil {
		return 0, err
	}
	return int64(len(data)), checkExchange(data, name, c.roots)
}

// maxNamed limits how many files an error names.
const maxNamed = 10

// problems collects the problems of a recording's files.
type problems struct {
	named []error
	more  int
}

func (p *problems) add(dir, name string, err error) {
	switch {
	case err == nil:
	case len(p.named) < maxNamed:
		p.named = append(p.named, fmt.Errorf("%s: %w", filepath.Join(dir, filepath.FromSlash(name)), err))
	default:
		p.more++
	}
}

func (p *problems) err() error {
	if p.more > 0 {
		return errors.Join(append(p.named, fmt.Errorf("and %d more files", p.more))...)
	}
	return errors.Join(p.named...)
}

// credentialFields are the header fields that authenticate a client.
var credentialFields = []string{"Authorization", "Cookie", "X-Wp-Nonce"}

// secretParams are the parameters that are never recorded.
var secretParams = func() map[string]bool {
	names := map[string]bool{mapping.NonceParam: true}
	for i := range mapping.Table {
		e := &mapping.Table[i]
		for _, p := range slices.Concat(e.Params, e.Fields) {
			if p.Secret {
				names[p.Name] = true
			}
		}
	}
	return names
}()

// sentCall is a request that is about to be sent, separated from its secrets.
type sentCall struct {
	call    call
	private bool     // it has credentials or a password
	secrets []string // these; a response may repeat them
}

var (
	errForeignRoot = errors.New("the recording does not have the root of this call")
	errUnreadable  = errors.New("the body of the call is not JSON")
)

// identify returns the call that a request makes. It does not change the request.
func identify(roots []knownRoot, req *http.Request) (sentCall, error) {
	var s sentCall
	target, ok := "", false
	for _, k := range roots {
		if target, ok = siteurl.Target(k.url, req.URL.String()); ok {
			s.call.Root = k.name
			break
		}
	}
	if !ok {
		return s, errForeignRoot
	}
	s.call.Method = req.Method
	s.call.Edits = upstream.Edits(req.Context())
	path, query, _ := strings.Cut(target, "?")
	s.call.Path = path
	s.readQuery(query)
	s.readCredentials(req.Header)
	body, err := bodyOf(req)
	if err != nil || len(body) == 0 { // the body of a DELETE may be empty
		return s, err
	}
	return s, s.readBody(body)
}

func (s *sentCall) readQuery(raw string) {
	var pairs []string
	for pair := range strings.SplitSeq(raw, "&") {
		name, value, _ := strings.Cut(pair, "=")
		if plain, err := url.QueryUnescape(name); err == nil {
			name = plain
		}
		name, _, _ = strings.Cut(name, "[")
		switch {
		case secretParams[name]:
			if plain, err := url.QueryUnescape(value); err == nil {
				value = plain
			}
			s.addSecret(value)
		case pair != "":
			pairs = append(pairs, pair)
		}
	}
	slices.Sort(pairs)
	s.call.Query = strings.Join(pairs, "&")
}

func (s *sentCall) readCredentials(h http.Header) {
	for _, name := range credentialFields {
		for _, value := range h.Values(name) {
			s.addSecret(value)
		}
	}
	_, token, _ := strings.Cut(h.Get("Authorization"), " ")
	s.addSecret(token)
	if plain, err := base64.StdEncoding.DecodeString(token); err == nil {
		_, password, _ := strings.Cut(string(plain), ":")
		s.addSecret(string(plain))
		s.addSecret(password)
	}
	for pair := range strings.SplitSeq(h.Get("Cookie"), "; ") {
		_, value, _ := strings.Cut(pair, "=")
		s.addSecret(value)
	}
}

func (s *sentCall) addSecret(secret string) {
	if secret != "" {
		s.private = true
		s.secrets = append(s.secrets, secret)
	}
}

func (s *sentCall) readBody(body []byte) error {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return errUnreadable // err may quote the body
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s.withoutSecrets(v)); err != nil {
		return errUnreadable
	}
	s.call.Sent = bytes.TrimSpace(b.Bytes())
	return nil
}

// withoutSecrets moves the secret members of v to s.secrets.
func (s *sentCall) withoutSecrets(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			if secretParams[name] {
				s.addSecret(fmt.Sprint(member))
				delete(v, name)
				continue
			}
			v[name] = s.withoutSecrets(member)
		}
	case []any:
		for i := range v {
			v[i] = s.withoutSecrets(v[i])
		}
	}
	return v
}

// bodyOf returns the body of a request that has not been sent; nil for none.
func bodyOf(req *http.Request) ([]byte, error) {
	if req.Body == nil || req.Body == http.NoBody {
		return nil, nil
	}
	if req.GetBody == nil {
		return nil, errUnreadable
	}
	body, err := req.GetBody()
	if err != nil {
		return nil, err
	}
	defer body.Close() // only read: a failed close loses nothing
	return io.ReadAll(body)
}
