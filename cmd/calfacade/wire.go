package main

import (
	"io"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/proxy"
)

// options turns a valid configuration into a facade's options.
func options(c Config, log *zap.Logger) proxy.Options {
	o := proxy.Options{
		PublicURL: c.PublicURL,
		Upstream: proxy.UpstreamOptions{
			Namespace:     c.Upstream.Namespace,
			LanguageParam: c.Upstream.LanguageParam,
			Timeout:       c.Upstream.Timeout,
			MaxBody:       int64(c.Upstream.MaxBody),
			MaxConcurrent: c.Upstream.MaxConcurrent,
			Retries:       c.Upstream.Retries,
			SiteAliases:   c.Upstream.SiteAliases,
		},
		Pages:          c.Rewrite.Site,
		Cookies:        c.Auth.Cookies,
		MaxRequestBody: int64(c.Limits.MaxRequestBody),
		MaxURL:         int(c.Limits.MaxURL),
		Unknown:        c.UnknownParams == "reject",
		Log:            log,
	}
	for _, l := range c.Languages {
		o.Site = append(o.Site, i18n.Language{
			Code:     l.Code,
			Root:     l.Root,
			Upstream: l.Upstream,
			Select:   l.Select,
		})
	}
	return o
}

// newLog makes the log of a valid configuration.
func newLog(c LogConfig, w io.Writer) *zap.Logger {
	level, err := zapcore.ParseLevel(c.Level)
	if err != nil {
		panic("BUG: the level was validated: " + err.Error())
	}
	encoding := zap.NewProductionEncoderConfig()
	encoding.EncodeTime = zapcore.ISO8601TimeEncoder
	encoding.EncodeDuration = zapcore.StringDurationEncoder
	encoder := zapcore.NewJSONEncoder(encoding)
	if c.Format == "console" {
		encoder = zapcore.NewConsoleEncoder(encoding)
	}
	return zap.New(zapcore.NewCore(encoder, zapcore.Lock(zapcore.AddSync(w)), level))
}
