package service

import (
	"net/http"
	"time"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
)

// Limits of every client and every request: slower or larger requests are cut off.
const (
	headerTimeout = 10 * time.Second // for reading a header
	readTimeout   = 30 * time.Second // for reading a whole request
	maxHeader     = 64 << 10         // bytes of the request line and the header
)

// newServer returns a server with limits for slow clients.
func newServer(h http.Handler, c config.Config, log *zap.Logger) *http.Server {
	faults, err := zap.NewStdLogAt(log, zap.WarnLevel)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      c.WriteTimeout(),
		IdleTimeout:       c.Limits.IdleTimeout,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          faults,
	}
}
