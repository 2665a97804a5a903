package proxy

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/calfacade/calfacade/mapping"
)

var exposed = strings.Join(mapping.Exposed, ", ")

// respond writes an answer. h goes out with the spelling it has.
func (x *exchange) respond(status int, h http.Header, body []byte) {
	out := x.out.Header()
	for name, values := range h {
		out[name] = values
	}
	out.Set("Content-Type", "application/json; charset=UTF-8")
	out.Set("Content-Language", string(x.voice))
	out.Set("X-Content-Type-Options", "nosniff")
	out.Set("X-Robots-Tag", "noindex")
	// Any origin may read what anybody may read. Browsers send no cookies and no
	// stored passwords on such requests, which is why it is not the origin itself.
	out.Set("Access-Control-Allow-Origin", "*")
	out.Set("Access-Control-Expose-Headers", exposed)
	if x.in.Method == http.MethodHead && body == nil {
		x.out.WriteHeader(status)
		return
	}
	out.Set("Content-Length", strconv.Itoa(len(body)))
	x.out.WriteHeader(status)
	if x.in.Method != http.MethodHead {
		_, x.out.err = x.out.Write(body)
	}
}

// fail writes the answer for an error.
func (x *exchange) fail(err error) {
	e := asError(err)
	code, body := e.body(x.voice)
	told := *e
	told.Code = code
	x.failure = &told
	if x.out.status != 0 {
		return // the answer has begun; it cannot become another
	}
	x.respond(e.Status, e.Header, body)
}

// recorder remembers what was answered.
type recorder struct {
	http.ResponseWriter
	status int
	bytes  int
	err    error // of writing the body: the client is gone
}

func (r *recorder) WriteHeader(status int) {
	r.status = status
	r.ResponseWriter.WriteHeader(status)
}

func (r *recorder) Write(b []byte) (int, error) {
	n, err := r.ResponseWriter.Write(b)
	r.bytes += n
	return n, err
}

// Unwrap lets http.MaxBytesReader reach the connection.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }
