package upstream

import (
	"strings"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// removePadding removes the text around the JSON document of a response. It requires the
// Content-Type of JSON: a page may contain a document that is not the response, and PHP that
// sent a notice before its header could not set the status either.
func (u *Caller) removePadding(to *root, got *Response) {
	if !strings.HasPrefix(got.Header.Get("Content-Type"), "application/json") {
		return
	}
	document, ok := jsonscan.Document(got.Body)
	if !ok || len(document) == len(got.Body) {
		return
	}
	got.Padding, got.Body = len(got.Body)-len(document), document
	to.paddingLog.Do(func() {
		u.options.Log.Warn("removed text around the JSON of a response: PHP notices, or a byte order mark in a file of a plugin or theme",
			zap.String("root", to.name), zap.Int("bytes", got.Padding), zap.Duration("logged_again_after", paddingLogEvery))
	})
}
