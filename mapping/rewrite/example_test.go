package rewrite_test

import (
	"context"
	"fmt"
	"net/http"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/rewrite"
	"github.com/calfacade/calfacade/mapping/tribe"
)

// Links to the namespace of the site become links to the facade. Content that people wrote does not change.
func ExampleRewriter_Rewrite() {
	backend := mapping.API{Dialect: tribe.Dialect, LanguageParam: "wpml_language"}
	roots := []rewrite.RootURLs{{Language: "en", Upstream: "https://site.example/wp-json", Public: "https://api.example/wp-json"}}
	rewriter := rewrite.New(backend, roots, rewrite.Spellings{})

	call := &mapping.Call{Endpoint: mapping.RowOf("events", mapping.Read, false), Method: http.MethodGet, Item: "5"}
	result, err := rewriter.Rewrite(context.Background(), call, 0, http.StatusOK, []byte(`{"id":5,`+
		`"rest_url":"https://site.example/wp-json/tribe/events/v1/events/5","description":"<p>site.example</p>","venue":{"id":7}}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s\n", result.Body)
	fmt.Println("shows", result.Shows)
	// Output:
	// {"id":5,"rest_url":"https://api.example/wp-json/calendar/events/v1/events/5","description":"<p>site.example</p>","venue":{"id":7}}
	// shows [{events 5} {venues 7}]
}
