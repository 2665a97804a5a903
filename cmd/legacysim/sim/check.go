package sim

import (
	"errors"
	"math"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
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

// orEmpty leaves values that are empty for PHP to the check of the type, where they may be empty.
func orEmpty(may bool, pass check) check {
	return func(c *call, v any) error {
		if may && isEmpty(v) {
			return nil
		}
		return pass(c, v)
	}
}

// isDate accepts all numbers, but not a text that stands for the first second of 1970:
// for PHP that is a failure.
func isDate(c *call, v any) error {
	if _, ok := phpNumber(v); ok {
		return nil
	}
	s, _ := v.(string)
	t, ok := strtotime(s, c.now, time.UTC)
	return verdict(ok && s != "" && t.Unix() != 0)
}

// isZone leaves other types than text to the check of the type.
func isZone(_ *call, v any) error {
	s, isText := v.(string)
	_, ok := eventZone(s)
	return verdict(ok || !isText)
}

var notInURL = regexp.MustCompile(`[^!-~]`)

// isURL is PHP's filter: any scheme, and no letter beyond ASCII.
func isURL(_ *call, v any) error {
	s := scalar(v)
	u, err := url.Parse(s)
	return verdict(err == nil && !notInURL.MatchString(s) && u.Scheme != "" && (u.Host != "" || u.Scheme == "mailto"))
}

// isAuthor cuts a fraction off.
func isAuthor(_ *call, v any) error {
	f, ok := phpNumber(v)
	return verdict(ok && int(f) >= 1 && int(f) <= len(Users))
}

// isImage accepts the id of an image, or the URL of one. Fetching a URL is left
// out: only URLs of the site itself are good.
func isImage(c *call, v any) error {
	if _, isBool := v.(bool); isBool {
		return errInvalid
	}
	return verdict(c.findImage(scalar(v)) != nil)
}

func isGiven(_ *call, v any) error { return verdict(!isEmpty(v)) }

// postStatuses are the statuses that a request can set.
var postStatuses = []string{"publish", "future", "draft", "pending", "private", "trash", "auto-draft", "inherit"}

// isPostStatus compares as loosely as PHP, to which true is any of them.
func isPostStatus(_ *call, v any) error {
	return verdict(v == true || slices.Contains(postStatuses, scalar(v)))
}

// isListStatus shows users without the right to write only published items, and accepts
// an empty status for all that they may see.
func isListStatus(c *call, v any) error {
	if isEmpty(v) {
		return verdict(c.user.createsPost())
	}
	for _, s := range termItems(v) {
		status := scalar(s)
		if !slices.Contains(postStatuses, status) || status != "publish" && !c.user.createsPost() {
			return errInvalid
		}
	}
	return nil
}

// termItems are the items of a list, of an object, or of a text with commas.
func termItems(v any) []any {
	s, isText := v.(string)
	if !isText {
		return elements(v)
	}
	var items []any
	for part := range strings.SplitSeq(s, ",") {
		items = append(items, part)
	}
	return items
}

// needsTickets leaves other types than boolean to the check of the type.
func needsTickets(c *call, v any) error {
	if !truthy(v) || !isBoolean(v) {
		return nil
	}
	return c.root.lang.fail(400, "event-tickets-not-active", "Event Tickets plugin is not activated.")
}

// isEvent wants the id of one event.
func isEvent(c *call, v any) error {
	n, ok := number(v)
	return verdict(ok && c.blog.find(eventKind, n) != nil)
}

// arePosts wants ids of posts of one kind.
func arePosts(k kind) check {
	return func(c *call, v any) error {
		return areAll(v, func(s string) bool {
			n, err := strconv.Atoi(s)
			return err == nil && c.blog.find(k, n) != nil
		})
	}
}

// areTerms requires ids or slugs of terms. A list in a list is a fatal error of PHP.
func areTerms(tax kind) check {
	return func(c *call, v any) error {
		if nested(v) {
			return c.fatal()
		}
		if _, isBool := v.(bool); isBool {
			return errInvalid
		}
		return areAll(v, func(s string) bool { return c.blog.findTerm(tax, s) != nil })
	}
}

func isSlugOf(k kind) check {
	return func(c *call, v any) error {
		return verdict(c.blog.bySlug(k, scalar(v)) != nil)
	}
}
