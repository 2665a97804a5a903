package sim

func tecOf(name, kind string, check check) arg {
	return arg{name: name, schema: object{{"type", kind}}, check: check}
}

func tecText(name string) arg { return tecOf(name, "string", tecIsText) }

// tecBool has no check: every value is a boolean, by PHP's rules.
func tecBool(name string) arg { return tecOf(name, "boolean", nil) }

func tecNumber(name string) arg { return tecOf(name, "integer", tecIsPositive) }

// tecIDs is a list of ids.
func tecIDs(name string, check check) arg {
	return tecOf(name, "array", check).with("items", object{{"type", "integer"}}).with("uniqueItems", true)
}

func tecEnum(name, def string, values ...string) arg {
	return tecOf(name, "string", tecIsOneOf(values)).with("default", def).with("enum", listOf(values))
}

// Patterns of dates. Filters have none.
const (
	tecNoPattern   = ""
	tecTimePattern = `^[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}$`
	tecPostPattern = `^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}(?::\d{2})?)?$`
)

func tecDate(name, pattern string) arg {
	a := tecOf(name, "string", tecIsDate(pattern)).with("format", "date-time")
	if pattern != tecNoPattern {
		a = a.with("pattern", pattern)
	}
	return a
}

// tecPostStatuses are those that a request can name: not trash.
var tecPostStatuses = []string{"publish", "pending", "draft", "future", "private"}

// tecFilters are the parameters of a list.
func tecFilters(k kind) []arg {
	paging := []arg{
		tecNumber("page").with("default", 1).with("minimum", 1),
		tecNumber("per_page").with("default", 10).with("maximum", 100).with("minimum", 1),
	}
	one := object{{"type", "string"}, {"enum", listOf(tecPostStatuses)}}
	status := tecOf("status", "array", tecAreStatuses).with("items", one).with("default", list{"publish"}).with("uniqueItems", true)
	if k != eventKind {
		return append(paging, tecText("search"), tecNumber("event"), tecBool("has_events"), tecBool("only_with_upcoming"), status)
	}
	return append(paging,
		tecDate("start_date", tecNoPattern), tecDate("end_date", tecNoPattern), tecText("search"),
		tecIDs("categories", tecArePositive), tecIDs("tags", tecArePositive),
		tecIDs("venue", tecArePosts(venueKind)), tecIDs("organizer", tecArePosts(organizerKind)),
		tecBool("featured"), status, tecNumber("post_parent"),
		tecDate("starts_before", tecNoPattern), tecDate("starts_after", tecNoPattern),
		tecDate("ends_before", tecNoPattern), tecDate("ends_after", tecNoPattern), tecBool("ticketed"),
		tecEnum("orderby", "event_date", "date", "event_date", "title", "menu_order", "modified"),
		tecEnum("order", "ASC", "ASC", "DESC"),
	)
}

// tecFields are the parameters of a write. What is not among them is ignored.
func tecFields(k kind) []arg {
	sticky := tecBool("sticky")
	if k != eventKind {
		sticky = sticky.with("default", false)
	}
	fields := []arg{
		tecDate("date", tecPostPattern), tecDate("date_gmt", tecPostPattern), tecText("slug"),
		tecEnum("status", "publish", tecPostStatuses...), tecText("title"), tecText("content"), tecText("excerpt"),
		tecNumber("author"), tecNumber("featured_media"),
		tecEnum("comment_status", "open", "open", "closed"), tecEnum("ping_status", "open", "open", "closed"),
		tecEnum("format", "standard", "standard", "aside", "chat", "gallery", "link", "image", "quote", "status", "video", "audio"),
		sticky, tecText("template"), tecIDs("tags", tecArePositive),
	}
	website := tecOf("website", "string", tecIsURL).with("format", "uri")
	switch k {
	case eventKind:
		return append(fields,
			tecIDs("tribe_events_cat", tecArePositive),
			tecDate("start_date", tecTimePattern), tecDate("start_date_utc", tecTimePattern),
			tecDate("end_date", tecTimePattern), tecDate("end_date_utc", tecTimePattern),
			tecText("timezone"), tecNumber("duration"), tecBool("all_day"), tecBool("featured"), tecText("cost"),
			tecIDs("organizers", tecArePositive), tecIDs("venues", tecArePositive),
		)
	case venueKind:
		for _, name := range []string{"address", "country", "city", "state_province", "state", "province", "zip", "phone"} {
			fields = append(fields, tecText(name))
		}
		return append(fields, website)
	}
	return append(fields, tecText("phone").with("format", "tel"), website, tecOf("email", "string", tecIsEmail).with("format", "email"))
}
