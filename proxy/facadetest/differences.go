package facadetest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Difference is an answer of the facade that is otherwise than the site, on purpose.
type Difference struct {
	Pattern string // of recordings, as [path.Match]
	Status  int    // of the facade's answer; 0: as recorded, with another body
	reason  string
	Skipped bool // it is not sent
	Used    bool
}

// ReadDifferences reads a file such as testdata/recordings_differ.txt: pattern, status, "body" or "skip", and the
// reason, with tabs between. The table of differences in docs/api.md explains most of them.
func ReadDifferences(t *testing.T, file string) []*Difference {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var list []*Difference
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		fields := strings.Split(line, "\t")
		if len(fields) != 3 {
			t.Fatalf("not a pattern, a status and a reason: %s", line)
		}
		d := &Difference{Pattern: fields[0], reason: fields[2], Skipped: fields[1] == "skip"}
		if _, err := fmt.Sscan(fields[1], &d.Status); err != nil && fields[1] != "body" && !d.Skipped {
			t.Fatalf("no status: %s", line)
		}
		list = append(list, d)
	}
	return list
}

func DifferenceOf(list []*Difference, file string) *Difference {
	for _, d := range list {
		if match, err := path.Match(d.Pattern, file); err == nil && match {
			return d
		}
	}
	return nil
}

// LegacyDiffers returns how a response in the legacy's names differs from the recorded one; ""
// if it does not. Header fields that the legacy has of its server, or for other origins, are
// not compared.
func (r *RecordedExchange) LegacyDiffers(res *http.Response, body []byte) string {
	if res.StatusCode != r.Response.Status {
		return fmt.Sprintf("status %d, want %d: %s", res.StatusCode, r.Response.Status, body)
	}
	for _, name := range []string{"X-TEC-Total", "X-TEC-TotalPages", "Location", "Content-Type"} {
		want, _ := r.Response.Headers[name].(string)
		if got := res.Header.Get(name); got != want {
			return fmt.Sprintf("%s %s, want %s", name, got, want)
		}
	}
	for _, name := range []string{"X-Calendar-Total", "X-WP-Total"} {
		if got := res.Header.Get(name); got != "" {
			return fmt.Sprintf("%s %s", name, got)
		}
	}
	if want, ok := r.Response.Headers["Link"].(string); ok && res.Header.Values("Link")[0] != want {
		return fmt.Sprintf("Link %q, want %s", res.Header.Values("Link"), want)
	}
	want := r.Sent()
	if r.Request.Method == http.MethodHead {
		want = nil
	}
	if !bytes.Equal(body, want) {
		return "body (-recording +got):\n" + cmp.Diff(string(want), string(body))
	}
	return ""
}

// Compare holds an answer to the recording, or to the difference that is wanted.
func (r *RecordedExchange) Compare(t *testing.T, res *http.Response, body []byte, expected *Difference) {
	t.Helper()
	wrong := r.differs(t, res, body)
	switch {
	case wrong == "":
	case expected != nil && (expected.Status == res.StatusCode || expected.Status == 0 && res.StatusCode == r.Response.Status):
		expected.Used = true
	default:
		t.Error(wrong)
	}
}

// differs returns how a response differs from the recorded one; "" if it does not.
func (r *RecordedExchange) differs(t *testing.T, res *http.Response, body []byte) string {
	t.Helper()
	if res.StatusCode != r.Response.Status {
		return fmt.Sprintf("status %d, want %d", res.StatusCode, r.Response.Status)
	}
	for name, legacy := range map[string]string{"X-WP-Total": "X-TEC-Total", "X-Calendar-TotalPages": "X-TEC-TotalPages"} {
		if got, want := res.Header.Get(name), r.Response.Headers[legacy]; want != nil && got != want {
			return fmt.Sprintf("%s %s, want %s", name, got, want)
		}
	}
	if r.Request.Method == http.MethodHead {
		if len(body) > 0 {
			return fmt.Sprintf("HEAD with a body of %d bytes", len(body))
		}
		return ""
	}
	kind, _, _ := strings.Cut(r.File, "/")
	if r.Request.Method == http.MethodOptions || kind == "index" || kind == "doc" {
		return "" // made from the table; package mapping tests it
	}
	if recorded := r.Sent(); !json.Valid(recorded) {
		return "the recorded body is not JSON"
	}
	if diff := cmp.Diff(r.neutral(t), decodeAny(t, body)); diff != "" {
		return "body (-recording +got):\n" + diff
	}
	return ""
}

func decodeAny(t *testing.T, body []byte) any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return withoutChosen(v)
}

// neutral is the recorded body in its neutral form, computed independently of the facade.
func (r *RecordedExchange) neutral(t *testing.T) any {
	t.Helper()
	body := string(r.Sent())
	if r.Response.Status >= 400 {
		body = strings.ReplaceAll(body, "wpml_language", "i18n_language")
	}
	d := json.NewDecoder(strings.NewReader(body))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatal(r.File, err)
	}
	return withoutChosen(neutralValue("", v))
}

// withoutChosen takes out the members that the facade chooses itself: the links of a list,
// which keep the filters , and the details of a fault, which the
// legacy mostly leaves empty.
func withoutChosen(v any) any {
	m, ok := v.(map[string]any)
	if !ok {
		return v
	}
	if _, isList := m["total"]; isList {
		for _, name := range []string{"rest_url", "next_rest_url", "previous_rest_url"} {
			if s, ok := m[name].(string); ok {
				m[name] = pagePath(name, s)
			}
		}
	}
	if data, ok := m["data"].(map[string]any); ok && data["params"] != nil {
		delete(data, "details")
	}
	return m
}

// pagePath returns path and page of a link to a list, without the root: if a request named a
// language, the recorded root responded, and here that language's does. The link of a list
// of terms to itself never has a page in the legacy.
func pagePath(name, s string) string {
	u, err := url.Parse(strings.ReplaceAll(s, " ", "+"))
	if err != nil {
		return s
	}
	_, path, _ := strings.Cut(u.Path, "/wp-json")
	if name == "rest_url" {
		return path
	}
	page := u.Query().Get("page")
	if page == "" {
		page = "1"
	}
	return path + " page " + page
}

var RestRoot = regexp.MustCompile(`^http://legacy\.example((?:/[a-z]{2})?/wp-json)/tribe/events/v1`)

func neutralValue(name string, v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for key, inner := range v {
			out[key] = neutralValue(key, inner)
		}
		if name == "_links" {
			return map[string]any{}
		}
		if page, ok := v["url"].(string); ok && v["website"] == strings.ReplaceAll(page, "&", "&amp;") || v["website"] == page {
			out["website"] = "" // empty in the site
		}
		return out
	case []any:
		for i := range v {
			v[i] = neutralValue(name, v[i])
		}
		return v
	case string:
		switch name {
		case "title", "description", "excerpt":
			return v
		case "website":
			return v
		case "email":
			return html.UnescapeString(v)
		case "taxonomy":
			return strings.Replace(v, "tribe_events_cat", "calendar_events_cat", 1)
		}
		return RestRoot.ReplaceAllString(v, PublicURL+"$1/calendar/events/v1")
	}
	return v
}
