package sim

func tecOf(name, text, kind string, check tecCheck) tecArg {
	return tecArg{name: name, text: text, schema: object{{"type", kind}}, check: check}
}

func tecText(name, text string) tecArg { return tecOf(name, text, "string", tecIsText) }

// tecBool has no check: every value is a boolean, by PHP's rules.
func tecBool(name, text string) tecArg { return tecOf(name, text, "boolean", nil) }

func tecNumber(name, text string) tecArg { return tecOf(name, text, "integer", tecIsPositive) }

// tecIDs is a list of ids.
func tecIDs(name, text string, check tecCheck) tecArg {
	return tecOf(name, text, "array", check).with("items", object{{"type", "integer"}}).with("uniqueItems", true)
}

func tecEnum(name, text, def string, values ...string) tecArg {
	return tecOf(name, text, "string", tecIsOneOf(values)).with("default", def).with("enum", listOf(values))
}

func tecDate(name, text string) tecArg {
	return tecOf(name, text, "string", tecIsDate("")).with("format", "date-time")
}

// Patterns of dates in writes.
const (
	tecTimePattern = `^[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}$`
	tecPostPattern = `^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}(?::\d{2})?)?$`
)

func tecPatternDate(name, text, pattern string) tecArg {
	return tecOf(name, text, "string", tecIsDate(pattern)).with("format", "date-time").with("pattern", pattern)
}

func tecStatusFilter(noun string) tecArg {
	one := object{{"type", "string"}, {"enum", listOf(tecPostStatuses)}}
	return tecOf("status", "Limit result set to "+noun+" with specific status.", "array", tecAreStatuses).
		with("items", one).with("default", list{"publish"}).with("uniqueItems", true)
}

// tecFilters are the parameters of a list.
func tecFilters(k kind) []tecArg {
	noun := tecFolder(k)
	paging := []tecArg{
		tecNumber("page", "The collection page number.").with("default", 1).with("minimum", 1),
		tecNumber("per_page", "Maximum number of items to be returned in result set.").with("default", 10).with("maximum", 100).with("minimum", 1),
	}
	search := tecText("search", "Limit results to those matching a string.")
	if k != eventKind {
		return append(paging, search,
			tecNumber("event", "Limit result set to "+noun+" with specific event."),
			tecBool("has_events", "Limit result set to "+noun+" with events."),
			tecBool("only_with_upcoming", "Limit result set to "+noun+" with upcoming events."),
			tecStatusFilter(noun),
		)
	}
	const set = "Limit result set to events "
	return append(paging,
		tecDate("start_date", "Limit events to those starting after the specified date."),
		tecDate("end_date", "Limit events to those ending before the specified date."),
		search,
		tecIDs("categories", set+"assigned specific categories.", tecArePositive),
		tecIDs("tags", set+"assigned specific tags.", tecArePositive),
		tecIDs("venue", set+"assigned to specific venues.", tecArePosts(venueKind)),
		tecIDs("organizer", set+"assigned to specific organizers.", tecArePosts(organizerKind)),
		tecBool("featured", "Limit result set to featured events only."),
		tecStatusFilter(noun),
		tecNumber("post_parent", set+"with specific post parent."),
		tecDate("starts_before", set+"starting before the specified date."),
		tecDate("starts_after", set+"starting after the specified date."),
		tecDate("ends_before", set+"ending before the specified date."),
		tecDate("ends_after", set+"ending after the specified date."),
		tecBool("ticketed", set+"with tickets."),
		tecEnum("orderby", "Sort collection by event attribute.", "event_date", "date", "event_date", "title", "menu_order", "modified"),
		tecEnum("order", "Order sort attribute ascending or descending.", "ASC", "ASC", "DESC"),
	)
}
