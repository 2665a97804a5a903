package sim

import (
	"slices"
	"strconv"
	"strings"
)

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
func areTerms(tax taxonomy) check {
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
