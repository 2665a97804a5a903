package sim

import (
	"errors"
	"math"
	"net/url"
	"regexp"
	"slices"
	"time"
)

var errInvalid = errors.New("invalid")

func verdict(ok bool) error {
	if ok {
		return nil
	}
	return errInvalid
}

func positive(v any) (int, bool) {
	n, ok := number(v)
	return n, ok && n > 0 && n < math.MaxInt
}

func isPositive(_ *call, v any) error {
	_, ok := positive(v)
	return verdict(ok)
}

func isNumeric(_ *call, v any) error {
	_, ok := phpNumber(v)
	return verdict(ok)
}

// areAll wants one or more values, all of them passing.
func areAll(v any, pass func(string) bool) error {
	values := stringList(v)
	return verdict(len(values) > 0 && !slices.ContainsFunc(values, func(s string) bool { return !pass(s) }))
}

func arePositive(_ *call, v any) error {
	return areAll(v, func(s string) bool {
		_, ok := positive(s)
		return ok
	})
}

// isText refuses numbers, lists, and texts that are empty for PHP: "" and "0".
func isText(_ *call, v any) error {
	s, ok := v.(string)
	return verdict(ok && s != "" && s != "0")
}

// isTextOrEmpty leaves texts that are empty for PHP to the check of the type.
func isTextOrEmpty(c *call, v any) error {
	if isEmpty(v) {
		return nil
	}
	return isText(c, v)
}

// isDate accepts all numbers, but not a text that stands for the first second of 1970:
// for PHP that is a failure.
func isDate(c *call, v any) error {
	if _, ok := phpNumber(v); ok {
		return nil
	}
	s, _ := v.(string)
	at, ok := strtotime(s, c.now, time.UTC)
	return verdict(ok && s != "" && at.Unix() != 0)
}

// isZone leaves other types than text to the check of the type.
func isZone(_ *call, v any) error {
	s, isText := v.(string)
	_, ok := eventZone(s)
	return verdict(ok || !isText || isEmpty(v))
}

var notInURL = regexp.MustCompile(`[^!-~]`)

// isURL is PHP's filter: any scheme, and no letter beyond ASCII.
func isURL(_ *call, v any) error {
	if isEmpty(v) {
		return nil
	}
	s := scalar(v)
	u, err := url.Parse(s)
	return verdict(err == nil && !notInURL.MatchString(s) && u.Scheme != "" && (u.Host != "" || u.Scheme == "mailto"))
}

// isAuthor cuts a fraction off.
func isAuthor(_ *call, v any) error {
	f, ok := phpNumber(v)
	return verdict(ok && userByID(int(f)) != nil)
}

// isImage accepts the id of an image, or the URL of one. Fetching a URL is left
// out: only those of the site itself are good.
func isImage(c *call, v any) error {
	if _, isBool := v.(bool); isBool {
		return errInvalid
	}
	return verdict(c.findImage(scalar(v)) != nil)
}

// isImageOrEmpty is for places, whose image can be removed.
func isImageOrEmpty(c *call, v any) error {
	if isEmpty(v) {
		return nil
	}
	return isImage(c, v)
}

func isGiven(_ *call, v any) error { return verdict(!isEmpty(v)) }
