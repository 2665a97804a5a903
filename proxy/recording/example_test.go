package recording_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"

	"github.com/calfacade/calfacade/proxy/recording"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// A Recorder writes the responses of a site. A Replay responds from the files when the site is gone.
func Example() {
	dir, err := os.MkdirTemp("", "recording")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"id":5}`) }))
	root := site.URL + "/wp-json"

	recorder, err := recording.Open(recording.Options{Dir: dir, Backends: []recording.Backend{{
		Name:      upstream.LegacyName,
		Namespace: "tribe/events/v1",
		Roots:     []recording.Root{{Language: "en", URL: root}},
	}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	get(recorder.Wrap(http.DefaultTransport), root+"/tribe/events/v1/events/5")
	site.Close()

	replay, err := recording.OpenReplay(dir, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	get(replay, root+"/tribe/events/v1/events/5")
	get(replay, root+"/tribe/events/v1/events/6")
	// Output:
	// 200 {"id":5} <nil>
	// 200 {"id":5} <nil>
	// the recording has no response to this call
}

func get(transport http.RoundTripper, url string) {
	res, err := (&http.Client{Transport: transport}).Get(url)
	if err != nil {
		fmt.Println(errors.Unwrap(err))
		return
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	fmt.Println(res.StatusCode, string(body), err)
}
