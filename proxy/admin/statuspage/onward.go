package statuspage

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/calfacade/calfacade/proxy/onward"
)

// onwardReport is what the page shows of the targets of purges.
type onwardReport struct {
	Targets []targetStatus
	Letters []letterStatus // the newest, of all targets
}

type targetStatus struct {
	Name, Type, Sender string
	Health             health
	Delivered, Waiting string
	Lag, Refused       string
	Last               moment
}

// letterStatus is a delivery that a target has refused.
type letterStatus struct {
	When                 moment
	Target, Status, What string
}

// shownLetters limits the refused deliveries on the page; /purge/targets returns all.
const shownLetters = 20

// lateAfter is the lag from which the page warns: a target whose limit leaves few calls may
// take some time.
const lateAfter = time.Minute

// onwardReportOf returns nil if there are no targets.
func onwardReportOf(ctx context.Context, d *onward.Deliverer, now time.Time) *onwardReport {
	if d == nil {
		return nil
	}
	statuses := d.Statuses()
	if len(statuses) == 0 {
		return nil
	}
	r, letters := &onwardReport{}, d.Letters(ctx)
	for _, s := range statuses {
		r.Targets = append(r.Targets, newTargetStatus(s, now))
		for _, l := range letters[s.Name] {
			r.Letters = append(r.Letters, newLetterStatus(s.Name, l, now))
		}
	}
	if more := len(r.Letters) - shownLetters; more > 0 {
		r.Letters = r.Letters[more:]
	}
	return r
}

func newTargetStatus(s onward.Status, now time.Time) targetStatus {
	t := targetStatus{
		Name: s.Name, Type: string(s.Kind), Sender: "one of the instances", Health: targetHealth(s), Delivered: count64(float64(s.Delivered)),
		Waiting: count64(float64(s.Waiting)), Lag: "-", Refused: count64(float64(s.Refused)),
	}
	if s.Alone {
		t.Sender = "each instance"
	}
	if s.Waiting > 0 {
		t.Lag = fmt.Sprintf("%.1f s", s.Lag)
	}
	if !s.Last.IsZero() {
		t.Last = momentOf(s.Last, now)
	}
	return t
}

func targetHealth(s onward.Status) health {
	switch {
	case s.Refused > 0:
		return health{"bad", "has refused purges", "send them again with calfacade purge --replay; the last failure here: " + orNone(s.Fault)}
	case s.Fault != "" && s.Waiting > 0:
		return health{"warn", "does not accept purges", s.Fault}
	case s.Lag > lateAfter.Seconds():
		return health{"warn", "gets purges late", ""}
	}
	return health{"good", "up to date", ""}
}

func orNone(text string) string {
	if text == "" {
		return "none"
	}
	return text
}

func newLetterStatus(target string, l onward.Letter, now time.Time) letterStatus {
	s := letterStatus{momentOf(l.Time, now), target, fmt.Sprint(l.Status), "everything"}
	if !l.All {
		s.What = strings.Join(l.Tags[:min(len(l.Tags), shownTags)], ", ")
		if more := len(l.Tags) - shownTags; more > 0 {
			s.What += fmt.Sprintf(" and %d more", more)
		}
	}
	return s
}

// onwardHealth returns the problems of targets.
func onwardHealth(r *onwardReport) (all []health) {
	if r == nil {
		return nil
	}
	for _, t := range r.Targets {
		all = append(all, health{t.Health.Class, "Purges to " + t.Name + ": " + t.Health.Word, t.Health.Detail})
	}
	return all
}
