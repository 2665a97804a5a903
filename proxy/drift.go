package proxy

import (
	"net/http"
	"strings"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/problem"
)

// verify compares the response to an update with what was requested. It logs and counts
// drift, and returns it as an error if the client asks for strict handling.
func (f *Facade) verify(x *exchange, call *mapping.Call, got response) error {
	drifts := x.backend.dialect.Drift(x.call, call, got.reply.Body)
	strict, sent := strictHandling(x.in.Header["Prefer"], f.options.StrictUpdates)
	if sent && x.call.Endpoint.Action == mapping.Update {
		x.out.Header()["Preference-Applied"] = []string{map[bool]string{true: "handling=strict", false: "handling=lenient"}[strict]}
	}
	if len(drifts) == 0 {
		return nil
	}
	f.options.Metrics.Drifted(drifts)
	texts := make([]string, 0, len(drifts))
	for _, d := range drifts {
		texts = append(texts, d.Field+" "+string(d.Kind))
	}
	f.options.Log.Warn("update drift", zap.String("request_id", x.id), zap.String("endpoint", x.name),
		zap.String("item", call.Item), zap.Strings("fields", texts))
	if !strict {
		return nil
	}
	return &problem.Error{Status: http.StatusConflict, Code: "calendar_update_drift", Args: map[string]string{"Params": strings.Join(texts, ", ")}}
}

// strictHandling reads the preference "handling" (RFC 7240, 4.4): whether it is strict, and
// whether the client sent it. The first one counts.
func strictHandling(prefer []string, otherwise bool) (strict, sent bool) {
	for _, line := range prefer {
		for preference := range strings.SplitSeq(line, ",") {
			preference, _, _ = strings.Cut(preference, ";")
			name, value, _ := strings.Cut(preference, "=")
			if !strings.EqualFold(strings.TrimSpace(name), "handling") {
				continue
			}
			switch strings.ToLower(strings.Trim(strings.TrimSpace(value), `"`)) {
			case "strict":
				return true, true
			case "lenient":
				return false, true
			}
		}
	}
	return otherwise, false
}
