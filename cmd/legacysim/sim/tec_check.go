package sim

import (
	"math"
	"net/mail"
	"regexp"
	"slices"
	"strings"
	"time"
)

func tecIsText(_ *call, v any) error {
	_, isText := v.(string)
	return verdict(isText)
}

// tecPositive accepts blanks around a number.
func tecPositive(v any) (int, bool) {
	if s, isText := v.(string); isText {
		v = strings.TrimSpace(s)
	}
	n, ok := number(v)
	return n, ok && n > 0 && n < math.MaxInt
}

func tecIsPositive(_ *call, v any) error {
	if _, isBool := v.(bool); isBool {
		return errNotPositive
	}
	if _, ok := tecPositive(v); !ok {
		return errNotPositive
	}
	return nil
}

var errNotPositive = &tecFault{"positive_integer", "Argument %s must be a positive integer.", "The argument %s is not a positive integer."}

// tecItems are the elements of a list, or of a text with commas: a single value in a text
// is no list.
func tecItems(v any) ([]any, bool) {
	switch v := v.(type) {
	case []any, map[string]any:
		return elements(v), true
	case string:
		if !strings.Contains(v, ",") {
			return nil, false
		}
		var out []any
		for part := range strings.SplitSeq(v, ",") {
			out = append(out, part)
		}
		return out, true
	}
	return nil, false
}

// tecArePositive calls the parameter "example", whatever its name.
func tecArePositive(c *call, v any) error {
	items, isList := tecItems(v)
	if !isList {
		return errInvalid
	}
	for _, item := range items {
		if tecIsPositive(c, item) != nil {
			return errNotPositive.about("example")
		}
	}
	return nil
}

// tecArePosts accepts a single id also.
func tecArePosts(k kind) check {
	return func(c *call, v any) error {
		items, isList := tecItems(v)
		if !isList {
			items = []any{v}
		}
		for _, item := range items {
			if arePosts(k)(c, item) != nil {
				return errInvalid
			}
		}
		return nil
	}
}

func tecIsOneOf(values []string) check {
	return func(_ *call, v any) error {
		s, isText := v.(string)
		return verdict(isText && slices.Contains(values, s))
	}
}

func tecAreStatuses(_ *call, v any) error {
	for _, s := range stringList(v) {
		if !slices.Contains(tecPostStatuses, s) {
			return errInvalid
		}
	}
	return verdict(len(stringList(v)) > 0)
}

// tecIsDate wants a text of the pattern, if there is one, that stands for an instant other
// than the first of 1970, which is a failure for PHP.
func tecIsDate(pattern string) check {
	re := regexp.MustCompile(pattern)
	return func(c *call, v any) error {
		s := scalar(v)
		if !re.MatchString(s) {
			return &tecFault{"date_time", "Argument %s must match the pattern.", "The argument %s does not match the pattern `" + pattern + "`."}
		}
		if _, isNumber := phpNumber(v); isNumber && pattern == "" {
			return nil
		}
		at, ok := strtotime(s, c.now, time.UTC)
		if !ok || s == "" || at.Unix() == 0 {
			return &tecFault{"date_time", "Argument %s must be a date-time.", "We cannot parse the argument %s as a date-time."}
		}
		return nil
	}
}

func tecIsURL(c *call, v any) error {
	s, isText := v.(string)
	if !isText || s == "" || isURL(c, s) != nil {
		return &tecFault{"uri", "Argument %s must be a valid URL.", "The argument %s is not a valid URL."}
	}
	return nil
}

// tecIsEmail is a fatal error of PHP for a list.
func tecIsEmail(c *call, v any) error {
	s := scalar(v)
	switch v.(type) {
	case []any, map[string]any:
		return c.fatal()
	}
	if a, err := mail.ParseAddress(s); err != nil || a.Address != s || !strings.Contains(s, ".") {
		return &tecFault{"email", "Argument %s must be a valid email address.", "The argument %s is not a valid email address."}
	}
	return nil
}
