package upstream

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// Response is the complete response of a backend.
type Response struct {
	Status  int
	Header  http.Header
	Body    []byte
	Padding int // bytes around the body's JSON that were removed

	Deadline       time.Time // of the call, what is made of its response included
	CertificateEnd time.Time // of the server's certificate; zero without TLS
}

// Undecoded returns the content codings of the body, as the backend names them, if they are not
// all known; "" if the body is JSON all the same: some sites name a charset there.
func (r Response) Undecoded() string {
	codings := strings.Join(r.Header.Values(contentEncoding), ", ")
	if codings == "" || jsonscan.IsValid(r.Body) {
		return ""
	}
	return codings
}

// RetryAfter reads Retry-After, seconds or a date; 0 if there is none. A date is compared
// with the Date of the same response, because it is from the same clock.
func RetryAfter(h http.Header) time.Duration {
	value := h.Get("Retry-After")
	if seconds, err := strconv.Atoi(value); err == nil {
		return time.Duration(min(max(seconds, 0), maxRetryAfter)) * time.Second
	}
	until, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	now, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		now = time.Now()
	}
	return min(max(until.Sub(now), 0), maxRetryAfter*time.Second)
}

// maxRetryAfter caps a Retry-After, in seconds: a day.
const maxRetryAfter = 24 * 60 * 60

// RedirectTarget returns the URL that a redirect leads to, without its query, which may
// hold a secret.
func RedirectTarget(h http.Header) string { return BareURL(h.Get("Location")) }

// BareURL removes user, query and fragment from a URL.
func BareURL(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return "a URL that cannot be read"
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}
