package sim

import (
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// check judges a value that is there. Any error but an *apiError shows as a
// plain "invalid".
type check func(c *call, v any) error

var errInvalid = errors.New("invalid")

func verdict(ok bool) error {
	if ok {
		return nil
	}
	return errInvalid
}

// number reads a whole number in any of the forms that PHP takes for one.
func number(v any) (int, bool) {
	switch v := v.(type) {
	case json.Number:
		n, err := strconv.Atoi(v.String())
		return n, err == nil
	case string:
		n, err := strconv.Atoi(v)
		if errors.Is(err, strconv.ErrRange) {
			return n, true // PHP saturates: so does strconv
		}
		return n, err == nil
	}
	return 0, false
}

func isPositive(_ *call, v any) error {
	n, ok := number(v)
	return verdict(ok && n > 0)
}

func arePositive(c *call, v any) error {
	for _, s := range stringList(v) {
		if isPositive(c, s) != nil {
			return errInvalid
		}
	}
	return verdict(len(stringList(v)) > 0)
}

// isText refuses numbers, lists, and what PHP takes for empty: "" and "0".
func isText(_ *call, v any) error {
	s, ok := v.(string)
	return verdict(ok && s != "" && s != "0")
}

func isDate(c *call, v any) error {
	_, ok := parseDate(scalar(v), c.now, c.root.lang.zone)
	return verdict(ok)
}

func isZone(_ *call, v any) error {
	_, ok := eventZone(scalar(v))
	return verdict(ok)
}

func isURL(_ *call, v any) error {
	u, err := url.Parse(scalar(v))
	return verdict(scalar(v) == "" || err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "")
}

func isAuthor(_ *call, v any) error {
	n, ok := number(v)
	return verdict(ok && userByID(n) != nil)
}

// isImage takes the id of an image, or the URL of one. Fetching a URL is left
// out: only those of the site itself are good.
func isImage(c *call, v any) error {
	if v == nil {
		return nil
	}
	if _, ok := v.(json.Number); ok {
		return nil // left to the check of the type
	}
	return verdict(scalar(v) == "" || c.findImage(scalar(v)) != nil)
}

// postStatuses are those that a post can be given.
var postStatuses = []string{"publish", "future", "draft", "pending", "private", "trash"}

func isPostStatus(_ *call, v any) error {
	return verdict(slices.Contains(postStatuses, scalar(v)))
}

// isListStatus lets only those who write see more than what is published.
func isListStatus(c *call, v any) error {
	for _, s := range stringList(v) {
		known := s == "any" || slices.Contains(postStatuses, s)
		if !known || s != "publish" && !c.user.createsPost() {
			return errInvalid
		}
	}
	return nil
}

func needsTickets(c *call, _ any) error {
	return c.root.lang.fail(400, "event-tickets-not-active", msgTickets)
}

func isAnyPost(c *call, v any) error {
	n, ok := number(v)
	return verdict(ok && c.blog.post(n) != nil)
}

// arePosts wants ids of posts of one kind.
func arePosts(k kind) check {
	return func(c *call, v any) error {
		ids := stringList(v)
		for _, s := range ids {
			n, err := strconv.Atoi(s)
			if err != nil || c.blog.find(k, n) == nil {
				return errInvalid
			}
		}
		return verdict(len(ids) > 0)
	}
}

// areTerms wants ids or slugs of terms.
func areTerms(tax taxonomy) check {
	return func(c *call, v any) error {
		names := stringList(v)
		for _, s := range names {
			if c.blog.findTerm(tax, s) == nil {
				return errInvalid
			}
		}
		return verdict(len(names) > 0)
	}
}

func isSlugOf(k kind) check {
	return func(c *call, v any) error {
		return verdict(c.blog.bySlug(k, scalar(v)) != nil)
	}
}

func isVenueInput(c *call, v any) error     { return isPlaceInput(c, v, venueKind, "venue") }
func isOrganizerInput(c *call, v any) error { return isPlaceInput(c, v, organizerKind, "organizer") }

// isPlaceInput takes an id, ids, an object with the fields of a new one or an
// id, or a list of all that.
func isPlaceInput(c *call, v any, k kind, nameField string) error {
	switch v := v.(type) {
	case nil:
		return nil
	case []any:
		for _, item := range v {
			if isPlaceInput(c, item, k, nameField) != nil {
				return errInvalid
			}
		}
		return nil
	case map[string]any:
		if v["id"] != nil {
			return arePosts(k)(c, v["id"])
		}
		return verdict(strings.TrimSpace(scalar(v[nameField])) != "")
	}
	return arePosts(k)(c, v)
}
