package proxy

import (
	"errors"
	"net/http"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/htmlindex"

	"github.com/calfacade/calfacade/proxy/problem"
)

// toUTF8 returns a text of a form as UTF-8. charset is one that browsers know; "" is UTF-8, which
// mapping checks. UTF-16 is refused: a form in it has no ASCII names.
func toUTF8(text, charset string) (string, error) {
	if charset == "" {
		return text, nil
	}
	encoding, err := htmlindex.Get(charset)
	if err != nil {
		return "", unsupportedCharset()
	}
	switch name, err := htmlindex.Name(encoding); {
	case err != nil || strings.HasPrefix(name, "utf-16"):
		return "", unsupportedCharset()
	case name == "utf-8":
		return text, nil
	}
	converted, err := encoding.NewDecoder().String(text)
	if err != nil || strings.ContainsRune(converted, utf8.RuneError) {
		return "", brokenForm()
	}
	return converted, nil
}

func unsupportedCharset() *problem.Error {
	return &problem.Error{Status: http.StatusUnsupportedMediaType, Code: "calendar_unsupported_charset", Err: errors.New("charset")}
}
