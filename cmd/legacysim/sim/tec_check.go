package sim

import (
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

func tecIsPositive(_ *call, v any) error {
	if _, ok := positive(v); !ok {
		return errNotPositive
	}
	return nil
}

var errNotPositive = &tecFault{"positive_integer", "Argument %s must be a positive integer.", "The argument %s is not a positive integer."}

// tecArePositive wants a list, or a text with commas, and calls the parameter "example", whatever
// its name.
func tecArePositive(c *call, v any) error {
	s, isText := v.(string)
	if isText && !strings.Contains(s, ",") || !isText && isScalar(v) {
		return errInvalid
	}
	for _, item := range termItems(v) {
		if tecIsPositive(c, item) != nil {
			return errNotPositive.about("example")
		}
	}
	return nil
}

// tecArePosts accepts a single id also.
func tecArePosts(k kind) check {
	return func(c *call, v any) error {
		return verdict(!slices.ContainsFunc(termItems(v), func(item any) bool { return arePosts(k)(c, item) != nil }))
	}
}

func tecIsOneOf(values []string) check {
	return func(_ *call, v any) error {
		s, isText := v.(string)
		return verdict(isText && slices.Contains(values, s))
	}
}

func tecAreStatuses(_ *call, v any) error {
	return areAll(v, func(s string) bool { return slices.Contains(tecPostStatuses, s) })
}

// tecIsDate wants a text of the pattern, if there is one, that stands for an instant other
// than the first of 1970, which is a failure for PHP.
func tecIsDate(pattern string) check {
	re := regexp.MustCompile(pattern)
	return func(c *call, v any) error {
		s := scalar(v)
		if !re.MatchString(s) {
			details := "The argument %s does not match the pattern `" + pattern + "`."
			return &tecFault{"date_time", "Argument %s must match the pattern.", details}
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
	if !isScalar(v) {
		return c.fatal()
	}
	if a, err := mail.ParseAddress(s); err != nil || a.Address != s || !strings.Contains(s, ".") {
		return &tecFault{"email", "Argument %s must be a valid email address.", "The argument %s is not a valid email address."}
	}
	return nil
}
