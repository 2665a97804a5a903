package processtest

import (
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/calfacade/calfacade/proxy/proxytest"
)

// Versions is a site with a venue; a write makes its name newer.
type Versions struct {
	Mu      sync.Mutex
	Version int
	gate    chan struct{} // if not nil, a read waits for it once it has read
	Reads   chan int      // the version that each such read has

	Early, Late func() // if not nil, called before and after a write is done
}

// ServeHTTP implements [http.Handler].
func (v *Versions) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	write := r.Method != http.MethodGet
	if write && v.Early != nil {
		v.Early()
	}
	v.Mu.Lock()
	if write {
		v.Version++
	}
	version := v.Version
	gate := v.gate
	v.Mu.Unlock()
	if write && v.Late != nil {
		v.Late()
	}
	if gate != nil && !write {
		v.Reads <- version
		select {
		case <-gate:
		case <-r.Context().Done():
			return
		}
	}
	w.Header().Set("Content-Type", "application/json")
	proxytest.WriteItem(w, `{"id":12,"venue":"version %d"}`, version)
}

// Hold has reads wait until release is called, or the test ends.
func (v *Versions) Hold(t *testing.T) (release func()) {
	v.Mu.Lock()
	defer v.Mu.Unlock()
	gate := make(chan struct{})
	v.gate = gate
	v.Reads = make(chan int, 100)
	release = sync.OnceFunc(func() {
		v.Mu.Lock()
		defer v.Mu.Unlock()
		v.gate = nil
		close(gate)
	})
	t.Cleanup(release)
	return release
}

// ReadVersion returns the response to a read that is held. instead is the answer to the request that causes it.
func (v *Versions) ReadVersion(t *testing.T, instead <-chan Outcome) string {
	t.Helper()
	select {
	case version := <-v.Reads:
		return fmt.Sprint("version ", version)
	case got := <-instead:
		t.Fatalf("the site was not read: %+v", got)
		return ""
	}
}
