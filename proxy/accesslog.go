package proxy

import (
	"time"

	"github.com/calfacade/calfacade/proxy/legacyclients"
	"github.com/calfacade/calfacade/proxy/telemetry"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// end counts and logs a request after its response.
func (f *Facade) end(x *exchange) {
	x.body.Release()
	elapsed := f.options.Clock().Sub(x.started)
	f.options.Metrics.End(telemetry.Request{Endpoint: x.Endpoint, Language: f.codes[x.choice.Index], Method: x.in.Method, Status: x.out.status, Outcome: x.outcome, Took: elapsed})
	if x.OldNames {
		f.countLegacy(x)
	}
	f.endSpan(x)
	f.log(x, elapsed)
	f.stage.offer(x.calls.sample)
}

// log writes the record of a request. Of what a client sent it contains only the path and the
// canonical query, which has no secrets.
func (f *Facade) log(x *exchange, elapsed time.Duration) {
	level := zapcore.InfoLevel
	if x.out.status >= 500 {
		level = zapcore.ErrorLevel
	}
	if !f.options.Requests.Logs(x.out.status) {
		return
	}
	record := f.options.Log.Check(level, telemetry.RequestRecord)
	if record == nil {
		return
	}
	fields := []zap.Field{
		zap.String("request_id", x.id),
		zap.String("method", x.in.Method),
		zap.String("path", shorten(x.in.URL.EscapedPath())),
		zap.String("language", string(x.texts)),
		zap.Int("status", x.out.status),
		zap.Int("bytes", x.out.bytes),
		zap.Float64("duration_ms", milliseconds(elapsed)),
		zap.String("client", f.edge.Name(x.in)),
	}
	if id := x.traceID(); id != "" {
		fields = append(fields, zap.String("trace_id", id))
	}
	if x.Endpoint != nil {
		fields = append(fields, zap.String("endpoint", x.name))
	}
	if x.call != nil {
		fields = append(fields, zap.String("query", x.query))
	}
	if x.OldNames {
		fields = append(fields, zap.String("names", "legacy"), zap.String("client_family", legacyclients.Family(x.in.UserAgent())),
			zap.String("client_network", legacyclients.Prefix(x.client())))
	}
	if x.outcome != telemetry.NoCache {
		fields = append(fields, zap.Stringer("cache", x.outcome))
	}
	if x.backend != f.legacy {
		fields = append(fields, zap.String("backend", x.backend.name))
	}
	if x.calls.tester {
		fields = append(fields, zap.Bool("tester", true))
	}
	fields = append(fields, x.calls.logFields()...)
	if x.failure != nil {
		fields = append(fields, zap.String("code", x.failure.Code))
		if x.failure.Err != nil {
			fields = append(fields, zap.String("cause", x.failure.Err.Error()))
		}
	}
	if x.out.err != nil {
		fields = append(fields, zap.Bool("client_gone", true))
	}
	record.Write(fields...)
}

// shorten limits the size of a record. A path is percent-encoded: cut anywhere it is still
// printable.
func shorten(path string) string {
	const most = 512
	if len(path) > most {
		return path[:most]
	}
	return path
}
