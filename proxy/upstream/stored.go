package upstream

import (
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/mapping"
)

// Stored describes a cache at the site that had stored a response, as the header of the response shows it, such as
// LiteSpeed, Varnish, nginx or a CDN. The zero value shows no cache.
type Stored struct {
	Field string        // with its value: "Age: 120"; "" if no cache shows
	Hit   bool          // a cache reports a hit
	Aged  bool          // Age is known
	Age   time.Duration // rounded down to a second
	Dated bool          // Age follows from Date alone, and may be the difference of two clocks
}

// MaxSkew is the difference of two clocks that is no fault: so much of the age by Date may be one.
const MaxSkew = time.Minute

// StoredBy reads the header of a response to a call that began at a time. Age is the field of RFC 9111. Caches that
// do not send it report a hit in one of many fields whose names contain "cache", or as Varnish with two ids. A cache
// that reveals nothing is not found.
func StoredBy(h http.Header, began time.Time) (s Stored) {
	for name, values := range h {
		if len(values) > 0 && isHit(name, values[0]) && (!s.Hit || name < s.Field) {
			s.Hit = true
			s.Field = name + ": " + values[0]
		}
	}
	age := h.Get("Age")
	if age != "" && s.readAge(age) {
		missed := s.Age == 0 && !s.Hit && len(strings.Fields(h.Get("X-Varnish"))) == 1
		if missed {
			return Stored{}
		}
		return s
	}
	date := h.Get("Date")
	if date != "" {
		s.readDate(date, began)
	}
	return s
}

// readAge sets the age to the value of Age, and reports whether that is one.
func (s *Stored) readAge(value string) bool {
	first, _, _ := strings.Cut(value, ",") // the first member of a list counts (RFC 9111, 5.1)
	seconds, err := strconv.ParseUint(strings.TrimSpace(first), 10, 31)
	if err != nil {
		return false
	}
	s.Aged = true
	s.Age = time.Duration(seconds) * time.Second // #nosec G115 -- 31 bits
	if seconds > 0 || !s.Hit {
		s.Field = "Age: " + first
	}
	return true
}

// readDate sets the age to the time since Date, if that is more than a difference of clocks.
func (s *Stored) readDate(value string, began time.Time) {
	date, err := http.ParseTime(value)
	if err != nil || began.Sub(date) <= MaxSkew {
		return
	}
	s.Aged = true
	s.Age = began.Sub(date).Truncate(time.Second)
	if !s.Hit {
		s.Dated = true
		s.Field = "Date: " + value
	}
}

// Shows reports whether the response certainly was of a cache: an age of 0, or an old Date, may come without a cache.
func (s Stored) Shows() bool { return s.Hit || s.Age > 0 && !s.Dated }

// isHit reports whether a field says that a cache had stored the response. X-Cache-Lookup of Squid says so of responses,
// too, that it then fetched.
func isHit(name, value string) bool {
	switch {
	case name == "X-Varnish":
		return len(strings.Fields(value)) == 2
	case name == "X-Cache-Lookup":
		return false
	}
	return strings.Contains(name, "Cache") && strings.Contains(strings.ToLower(value), "hit")
}

// Since returns a time at or before the moment at which the response to a call that began at a time was made; the
// zero time if that is unknown.
func (s Stored) Since(began time.Time) time.Time {
	if !s.Aged {
		return time.Time{}
	}
	return began.Add(-s.Age - time.Second)
}

// newParam makes the URL of a read new. The site ignores unknown parameters. Caches that remove the parameters of
// advertising, such as utm_source, keep this one.
const newParam = "fresh"

// MakeNew makes the URL of a read one that no cache has seen.
func MakeNew(out *mapping.Request) {
	if out.Query != "" {
		out.Query += "&"
	}
	out.Query += newParam + "=" + strconv.FormatUint(rand.Uint64(), 36)
}

// logStored logs that a cache at the site responds with old responses.
func (r *rootState) logStored(field string) {
	r.stored.Store(&sighting{field: field, last: time.Now()})
	r.storedLog.Do(func() {
		r.log.Warn("a cache at the site answers REST reads with old responses: exclude /wp-json/ from it", zap.String("field", field),
			zap.Duration("logged_again_after", paddingLogEvery))
	})
}

// sighting is something that was seen in a response of a root.
type sighting struct {
	field string
	last  time.Time
}

// ReportStored reports that a root sent a response older than a change of its items, which a cache at the
// site had stored, and the field that shows the cache.
func (u *Caller) ReportStored(root, field string) { u.root(root).logStored(field) }

// storedFor is how long the state of a root shows an old response.
const storedFor = time.Hour

// storedField returns the field of the last old response; "" if the last hour had no such response.
func (r *rootState) storedField() string {
	s := r.stored.Load()
	if s != nil && time.Since(s.last) < storedFor {
		return s.field
	}
	return ""
}
