package proxy

import (
	"errors"
	"net/http"
	"runtime/debug"

	"github.com/calfacade/calfacade/proxy/problem"
	"go.uber.org/zap"
)

// errPanic is the cause of an error that was a panic.
var errPanic = errors.New("panic")

// recoverPanic, deferred, turns a panic into an error and logs its stack. Outside of requests
// a panic would otherwise end the process.
func recoverPanic(log *zap.Logger, id string, err *error) {
	cause := recover()
	if cause == nil {
		return
	}
	if cause == http.ErrAbortHandler {
		panic(cause)
	}
	*err = &problem.Error{Status: http.StatusInternalServerError, Code: "calendar_internal", Err: errPanic}
	log.Error("panic", zap.String("request_id", id), zap.Any("cause", cause), zap.ByteString("stack", debug.Stack()))
}
