package sim

import (
	"fmt"

	"github.com/calfacade/calfacade/i18n"
)

// text is a message in the language.
func (l *language) text(english string, args ...any) string {
	s, ok := seeds()[l.code].Messages[english]
	if !ok {
		s = english
	}
	if len(args) == 0 {
		return s
	}
	return fmt.Sprintf(s, args...)
}

// shared is a message of WordPress that the catalogs have; pairs are its placeholders and their values.
func (l *language) shared(key string, pairs ...string) string {
	args := map[string]string{}
	for i := 0; i+1 < len(pairs); i += 2 {
		args[pairs[i]] = pairs[i+1]
	}
	return i18n.Catalog(l.code).Text(key, args)
}
