package survey

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/compare"
)

// TestLimit: the site gets no more calls than permitted, whoever makes them, but for one: that the
// facade made a call is known afterwards.
func TestLimit(t *testing.T) {
	t.Parallel()
	for name, cached := range map[string]bool{"cached": true, "not cached": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				const perSecond = 10
				began := time.Now()
				calls := 0
				answer := func(call *mapping.Call) compare.Document {
					calls++
					if limit := 2 + perSecond*time.Since(began).Seconds(); float64(calls) > limit+1e-6 {
						t.Errorf("call %d to the site after %v", calls, time.Since(began))
					}
					const list = `{"%s":[{"id":1,"slug":"a"},{"id":2,"slug":"b"}],"total_pages":3}`
					return compare.Document{Status: 200, Body: fmt.Appendf(nil, list, call.Endpoint.Resource)}
				}
				comparer, err := compare.Rules{}.Compile()
				if err != nil {
					t.Fatal(err)
				}
				a := Auditor{
					Facade: func(_ context.Context, call *mapping.Call, _ string) (compare.Document, http.Header, error) {
						if cached {
							calls--
							return answer(call), http.Header{"Age": {"1"}}, nil
						}
						return answer(call), http.Header{}, nil
					},
					Site: func(string, string) Reader {
						return func(_ context.Context, call *mapping.Call, _ string) (compare.Document, error) {
							return answer(call), nil
						}
					},
					Languages: []string{"en"}, Sample: 1000, Comparer: comparer,
					Rate: perSecond,
				}
				r, err := a.Run(t.Context())
				if err != nil || r.Failed > 0 || r.Audited+r.NotCached < 20 || cached != (r.NotCached == 0) {
					t.Errorf("%+v, %v", r, err)
				}
			})
		})
	}
}
