//go:build !race

package migration_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/tribe"
)

// visitors are two clients of each instance, which read the same items all the time: one in the
// neutral names, and one in the legacy's.
type visitors struct {
	*testing.T
	want  map[string]string // item by path
	group sync.WaitGroup

	mu        sync.Mutex
	instances []*instance
	ended     bool
}

// newVisitors takes the responses of the first instance as right.
func newVisitors(first *instance) *visitors {
	v := &visitors{T: first.T, want: map[string]string{}}
	for _, root := range []string{"/wp-json/", "/es/wp-json/"} {
		for _, resource := range []string{"events", "venues", "organizers"} {
			_, list := fetch(v.T, first, root+mapping.Namespace+"/"+resource)
			var members map[string]json.RawMessage
			var items []struct{ ID int }
			if err := json.Unmarshal([]byte(list), &members); err != nil {
				v.Fatal(err)
			}
			if err := json.Unmarshal(members[resource], &items); err != nil || len(items) == 0 {
				v.Fatalf("%s%s: %v: %.200s", root, resource, err, list)
			}
			for _, namespace := range []string{mapping.Namespace, tribe.Dialect.Namespace} {
				path := fmt.Sprintf("%s%s/%s/%d", root, namespace, resource, items[0].ID)
				_, body := fetch(v.T, first, path)
				v.want[path] = essence(body)
				want := `"https:\/\/api.example.org` + strings.ReplaceAll(path, "/", `\/`) + `"`
				if resource == "events" &&
					!strings.Contains(body, want) {
					v.Fatalf("%s has no %s: %s", path, want, body)
				}
			}
		}
	}
	v.Cleanup(v.end)
	v.join(first)
	return v
}

// essence has the kind of an item, and where it says it is.
func essence(body string) string {
	var item struct {
		ID                      int
		Slug                    string
		Title, Venue, Organizer json.RawMessage
		RestURL                 string `json:"rest_url"`
	}
	if err := json.Unmarshal([]byte(body), &item); err != nil {
		return err.Error()
	}
	name := item.Title
	for _, linked := range []json.RawMessage{item.Venue, item.Organizer} {
		if name == nil {
			name = linked
		}
	}
	return fmt.Sprintf("%d %s %s %s", item.ID, item.Slug, name, item.RestURL)
}

// join lets clients read from an instance until the test ends.
func (v *visitors) join(i *instance) {
	v.mu.Lock()
	v.instances = append(v.instances, i)
	v.mu.Unlock()
	for _, namespace := range []string{mapping.Namespace, tribe.Dialect.Namespace} {
		v.group.Go(func() { v.readAll(i, namespace) })
	}
}

// pace is between two reads of a client.
const pace = 10 * time.Millisecond

func (v *visitors) readAll(i *instance, namespace string) {
	next := time.NewTicker(pace)
	defer next.Stop()
	for {
		for path := range v.want {
			if !strings.Contains(path, namespace) {
				continue
			}
			<-next.C
			if v.hasEnded() {
				return
			}
			v.isRight(i, path)
		}
	}
}

func (v *visitors) hasEnded() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.ended
}

func (v *visitors) end() {
	v.mu.Lock()
	v.ended = true
	v.mu.Unlock()
	v.group.Wait()
}

// round wants the right response to each path from each instance.
func (v *visitors) round() {
	v.Helper()
	for _, i := range v.instances {
		for path := range v.want {
			processtest.Eventually(v.T, "the right response", func() bool { return v.isRight(i, path) })
		}
	}
}

// isRight reports whether a response is right. A wrong one fails the test. A response that is missing,
// because something was killed, does not.
func (v *visitors) isRight(i *instance, path string) bool {
	status, body := fetch(v.T, i, path)
	switch status {
	case 0, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return false
	case http.StatusOK:
	default:
		v.Errorf("%s: %d %s", path, status, body)
		return false
	}
	foreign := tribe.Dialect.Namespace
	if strings.Contains(path, foreign) {
		foreign = mapping.Namespace
	}
	if got := essence(body); got != v.want[path] || strings.Contains(strings.ReplaceAll(body, `\/`, "/"), foreign) {
		v.Errorf("%s: %s, want %s, and nothing of %s: %s", path, got, v.want[path], foreign, body)
	}
	return true
}

// fetch reads a path. The status is 0 if there is no response.
func fetch(t *testing.T, i *instance, path string) (status int, body string) {
	request, err := http.NewRequest(http.MethodGet, "http://"+i.Public+path, nil)
	if err != nil {
		t.Error(err)
		return 0, ""
	}
	client := http.Client{Timeout: processtest.Patience}
	res, err := client.Do(request)
	if err != nil {
		return 0, err.Error()
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		return 0, err.Error()
	}
	return res.StatusCode, string(data)
}
