package proxy

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/rewrite"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// madeUpParam is a parameter that no site knows. Lists that it changes change by
// themselves.
const madeUpParam = "calfacade_made_up"

// asking is a list at a REST root, with a parameter that names a language.
type asking struct {
	root  string
	param string // "" for none
	code  string // of the language that param names
}

// listSample is the first page of a list, as far as it tells languages apart.
type listSample struct {
	err       error
	total     int
	ids       []string
	words     []string       // parallel to ids
	languages map[string]int // how many of the items have a page of a language
}

// sameItems reports whether two lists show the same items.
func (s listSample) sameItems(o listSample) bool {
	return s.err == nil && o.err == nil && s.total == o.total && slices.Equal(s.ids, o.ids)
}

// same reports whether they show the same texts, too.
func (s listSample) same(o listSample) bool { return s.sameItems(o) && slices.Equal(s.words, o.words) }

// differ reports whether all are there and no two show the same.
func differ(samples []listSample) bool {
	for i, s := range samples {
		if s.err != nil || slices.ContainsFunc(samples[:i], s.same) {
			return false
		}
	}
	return true
}

// lists asks for one list in different ways, each once.
type lists struct {
	call     *mapping.Call
	backends []*backend // the legacy, and others with roots that may be its own
	homes    homes
	asked    map[asking]listSample
}

func (l *lists) ask(ctx context.Context, a asking) listSample {
	if s, known := l.asked[a]; known {
		return s
	}
	s, err := l.fetch(ctx, a)
	s.err = err
	l.asked[a] = s
	return s
}

func (l *lists) all(ctx context.Context, askings []asking) []listSample {
	samples := make([]listSample, len(askings))
	for i, a := range askings {
		samples[i] = l.ask(ctx, a)
	}
	return samples
}

func (l *lists) fetch(ctx context.Context, a asking) (listSample, error) {
	b, root := l.reaching(a.root)
	speech := b.speech
	speech.LanguageParam = a.param
	got, _, err := b.upstream.Do(ctx, a.root, outgoingOf(speech.Translate(l.call, a.code), identity{}, upstream.Read))
	if err != nil {
		return listSample{}, err
	}
	if got.Status >= 300 && got.Status < 400 {
		return listSample{}, fmt.Errorf("redirects to %s", upstream.RedirectTarget(got.Header))
	}
	if got.Status != http.StatusOK {
		return listSample{}, fmt.Errorf("status %d", got.Status)
	}
	q := question{call: l.call, choice: i18n.Choice{Index: root, Tell: a.code}, rank: upstream.Read}
	if got, err = b.convert(ctx, q, got, new(upstreamRecord)); err != nil {
		return listSample{}, err
	}
	return l.read(got.Body)
}

// reaching finds who can call a root, and which of its roots that is.
func (l *lists) reaching(url string) (b *backend, root int) {
	for _, b := range l.backends {
		if i := slices.IndexFunc(b.roots, func(r rewrite.Root) bool { return r.Upstream == url }); i >= 0 {
			return b, i
		}
	}
	panic("BUG: a root that nobody calls: " + url)
}

func (l *lists) read(body []byte) (listSample, error) {
	page, err := l.call.ReadPage(body)
	if err != nil {
		return listSample{}, rewrite.ErrNotJSON // which does not quote the body
	}
	s := listSample{total: page.Total, languages: map[string]int{}}
	for _, item := range page.Items {
		s.ids = append(s.ids, item.ID)
		s.words = append(s.words, l.call.Words(item))
		if code := l.homes.languageOf(item.Page()); code != "" {
			s.languages[code]++
		}
	}
	return s, nil
}
