package statuspage

import (
	"fmt"
	"strings"
	"time"

	"github.com/calfacade/calfacade/proxy/audit"
)

// shownFindings is how many findings of audits the page shows.
const shownFindings = 10

// auditStatus is what audits found.
type auditStatus struct {
	Facts    []fact
	Findings []findingStatus
	Hints    []string // what to do about the causes of these
}

type findingStatus struct {
	Found                     moment
	Cause, Where, Tags, Paths string
	Fetched                   moment
	Samples                   string
}

// auditStatusOf returns nil if answers are not audited.
func auditStatusOf(l *audit.Ledger, now time.Time) *auditStatus {
	if l == nil {
		return nil
	}
	s := l.Stats(now)
	all := &auditStatus{Facts: []fact{
		{"Audited answers", count64(float64(s.Audited))},
		{"Stale", count64(float64(s.Stale))},
		{"Stale in a million, last 24 hours", fmt.Sprintf("%s (%s to %s)", count64(s.Day.PerMillion), count64(s.Day.Low), count64(s.Day.High))},
		{"Oldest stale response that is served", ageOf(s.Oldest)},
		{"Without a result", withoutResult(s)},
	}}
	hinted := map[audit.Cause]bool{}
	for _, f := range s.Findings[:min(len(s.Findings), shownFindings)] {
		all.Findings = append(all.Findings, newFindingStatus(f, now))
		if f.Cause != "" && !hinted[f.Cause] {
			hinted[f.Cause] = true
			all.Hints = append(all.Hints, causeText(f.Cause)+": "+f.Cause.Hint())
		}
	}
	return all
}

func newFindingStatus(f audit.Finding, now time.Time) findingStatus {
	return findingStatus{
		Found: momentOf(f.Found, now), Fetched: momentOf(f.Fetched, now), Cause: causeText(f.Cause),
		Where: f.Language + " " + f.Call, Tags: strings.Join(f.Tags, ", "), Paths: strings.Join(f.Paths, ", "), Samples: count64(float64(f.Samples)),
	}
}

// causeText returns a cause in words.
func causeText(c audit.Cause) string {
	if c == "" {
		return "not decided yet"
	}
	return strings.ReplaceAll(string(c), "_", " ")
}

func ageOf(d time.Duration) string {
	if d == 0 {
		return "none"
	}
	return d.Round(time.Second).String()
}

// withoutResult counts the samples without a result, by reason.
func withoutResult(s audit.Stats) string {
	var parts []string
	for _, why := range audit.Skips {
		if n := s.Skipped[why]; n > 0 {
			parts = append(parts, fmt.Sprintf("%s %s", count64(float64(n)), why))
		}
	}
	if parts == nil {
		return "none"
	}
	return strings.Join(parts, ", ")
}

// auditHealth warns while a stale response is served.
func auditHealth(l *audit.Ledger, now time.Time) health {
	if l == nil {
		return health{}
	}
	s := l.Stats(now)
	if s.Oldest == 0 {
		return health{}
	}
	return health{"warn", "Stale answers", fmt.Sprintf("%s of %s audited since start; the oldest is %s old", count64(float64(s.Stale)), count64(float64(s.Audited)), ageOf(s.Oldest))}
}
