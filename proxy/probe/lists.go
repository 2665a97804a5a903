package probe

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/crawl"
	"github.com/calfacade/calfacade/mapping/rewrite"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// unknownParam is a parameter that no site has. Lists that differ with it differ anyway.
const unknownParam = "calfacade_made_up"

// query is a list below a REST root, with a parameter that names a language.
type query struct {
	root  string
	param string // "" for none
	code  string // of the language that param names
}

// listSample has what differs by language on the first page of a list.
type listSample struct {
	err       error
	total     int
	ids       []string
	words     []string       // parallel to ids
	languages map[string]int // number of items by the language of their URLs
}

// sameItems reports whether two lists have the same items.
func (s listSample) sameItems(o listSample) bool {
	return s.err == nil && o.err == nil && s.total == o.total && slices.Equal(s.ids, o.ids)
}

// same reports whether they have the same texts, too.
func (s listSample) same(o listSample) bool { return s.sameItems(o) && slices.Equal(s.words, o.words) }

// differ reports whether all lists were received and no two are the same.
func differ(samples []listSample) bool {
	for i, s := range samples {
		if s.err != nil || slices.ContainsFunc(samples[:i], s.same) {
			return false
		}
	}
	return true
}

// lists requests one list in different ways, each once.
type lists struct {
	call     *mapping.Call
	backends []*Backend // the legacy as configured and with derived roots
	homes    homes
	known    map[query]listSample
}

func (l *lists) get(ctx context.Context, q query) listSample {
	if s, ok := l.known[q]; ok {
		return s
	}
	s, err := l.fetch(ctx, q)
	s.err = err
	l.known[q] = s
	return s
}

func (l *lists) all(ctx context.Context, queries []query) []listSample {
	samples := make([]listSample, len(queries))
	for i, q := range queries {
		samples[i] = l.get(ctx, q)
	}
	return samples
}

func (l *lists) fetch(ctx context.Context, q query) (listSample, error) {
	b, root := l.backendOf(q.root)
	b.Dialect.LanguageParam = q.param
	got, _, err := b.Client.Do(ctx, q.root, b.request(l.call, q.code))
	if err != nil {
		return listSample{}, err
	}
	if got.Status >= 300 && got.Status < 400 {
		return listSample{}, fmt.Errorf("redirects to %s", upstream.RedirectTarget(got.Header))
	}
	if got.Status != http.StatusOK {
		return listSample{}, fmt.Errorf("status %d", got.Status)
	}
	if got, err = b.Client.Convert(ctx, l.call, i18n.Choice{Index: root, Tell: q.code}, got); err != nil {
		return listSample{}, err
	}
	return l.read(got.Body)
}

// backendOf returns the backend that has a root, and the index of the root.
func (l *lists) backendOf(url string) (b Backend, root int) {
	for _, b := range l.backends {
		if i := slices.IndexFunc(b.Roots, func(r rewrite.Root) bool { return r.Upstream == url }); i >= 0 {
			return *b, i
		}
	}
	panic("BUG: a root of no backend: " + url)
}

func (l *lists) read(body []byte) (listSample, error) {
	page, err := crawl.ReadPage(l.call, body)
	if err != nil {
		return listSample{}, rewrite.ErrNotJSON // err may quote the body
	}
	s := listSample{total: page.Total, languages: map[string]int{}}
	for _, item := range page.Items {
		s.ids = append(s.ids, item.ID)
		s.words = append(s.words, crawl.Words(l.call, item))
		if code := l.homes.languageOf(item.Page()); code != "" {
			s.languages[code]++
		}
	}
	return s, nil
}
