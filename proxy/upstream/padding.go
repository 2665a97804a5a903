package upstream

import (
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// paddingLogEvery is how often the log has a record of surplus text, for each root.
const paddingLogEvery = time.Hour

// trim leaves out what stands around the JSON document of an answer. It trusts the
// Content-Type: a page can hold a document that is not the answer, and PHP that wrote
// a notice before its header could not set the status either.
func (u *Caller) trim(to *root, got *Response) {
	if !strings.HasPrefix(got.Header.Get("Content-Type"), "application/json") {
		return
	}
	document, ok := jsonscan.Document(got.Body)
	if !ok || len(document) == len(got.Body) {
		return
	}
	got.Padding, got.Body = len(got.Body)-len(document), document
	to.paddingLog.Do(func() {
		u.options.Log.Warn("the site writes text around its JSON, which is left out: PHP's notices, or a byte order mark in a file of a plugin or theme",
			zap.String("root", to.name), zap.Int("bytes", got.Padding), zap.Duration("logged_again_after", paddingLogEvery))
	})
}
