package sim

import (
	"net/mail"
	"regexp"
	"slices"
	"strings"
	"time"
)

// The successor of the legacy API, as version 6.17 of the plugin has it beside
// that one, over the same content. Terms and images are WordPress's own (wp.go).

const tecNamespace = "tec/v1"

// tecID is the id in a pattern.
const tecID = `/(?P<id>\d+)`

func tecRoutes() []route {
	change := []string{"PUT", "PATCH"} // and not POST
	force := []arg{tecBool("force")}
	table := []route{{namespace: tecNamespace, endpoints: []endpoint{{methods: get, run: (*call).index}}}}
	for _, k := range []kind{eventKind, organizerKind, venueKind} {
		table = append(table, route{namespace: tecNamespace, pattern: "/" + k.resource(), kind: k, endpoints: []endpoint{
			{methods: get, args: tecFilters(k), may: (*call).tecMayList, run: (*call).tecList},
			{methods: create, args: tecFields(k), may: postDef{}.mayCreate, run: (*call).tecCreate},
		}}, route{namespace: tecNamespace, pattern: "/" + k.resource() + tecID, kind: k, endpoints: []endpoint{
			{methods: get, may: (*call).tecMayRead, run: (*call).tecRead},
			{methods: change, args: tecFields(k), may: (*call).tecMayEdit, run: (*call).tecUpdate},
			{methods: remove, args: force, may: (*call).tecMayEdit, run: (*call).tecDelete},
		}})
	}
	return append(table, route{namespace: tecNamespace, pattern: "/docs", endpoints: []endpoint{{methods: get, run: (*call).tecDocs}}})
}

// acknowledged wants the header field that goes with requests for items. It is looked at in the
// endpoint itself: faults of parameters come before rights, and these before it.
func (c *call) acknowledged() error {
	said := strings.ToLower(strings.TrimSpace(c.http.Header.Get("X-TEC-EEA")))
	if c.route.kind == "" || said == tecAcknowledgement {
		return nil
	}
	wanted := "appropriate acknowledgement"
	if said == "" {
		wanted = "acknowledgement"
	}
	return refusal(400, "missing_experimental_endpoint_acknowledgement", "Experimental endpoint requires "+wanted+" header.")
}

// tecAcknowledgement is the required value of X-TEC-EEA, in upper or lower case: the
// whole of it is marked experimental.
const tecAcknowledgement = "i understand that this endpoint is experimental and may change in a future release " +
	"without maintaining backward compatibility. i also understand that i am using this endpoint at my own risk, " +
	"while support is not provided for it."

func tecOf(name, kind string, check check) arg {
	return arg{name: name, schema: object{{"type", kind}}, check: check}
}

func tecText(name string) arg { return tecOf(name, "string", tecIsText) }

// tecBool has no check: every value is a boolean, by PHP's rules.
func tecBool(name string) arg { return tecOf(name, "boolean", nil) }

func tecNumber(name string) arg { return tecOf(name, "integer", tecIsPositive) }

// tecIDs is a list of ids.
func tecIDs(name string, check check) arg {
	return tecOf(name, "array", check).with("items", object{{"type", "integer"}})
}

func tecEnum(name string, values ...string) arg {
	return tecOf(name, "string", tecIsOneOf(values)).with("enum", listOf(values))
}

// Patterns of dates. Filters have none.
const (
	tecNoPattern   = ""
	tecTimePattern = `^[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}$`
	tecPostPattern = `^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}(?::\d{2})?)?$`
)

func tecDate(name, pattern string) arg { return tecOf(name, "string", tecIsDate(pattern)) }

// tecPostStatuses are those that a request can name: not trash.
var tecPostStatuses = []string{"publish", "pending", "draft", "future", "private"}

// tecFilters are the parameters of a list.
func tecFilters(k kind) []arg {
	paging := []arg{tecNumber("page"), tecNumber("per_page")}
	one := object{{"type", "string"}, {"enum", listOf(tecPostStatuses)}}
	status := tecOf("status", "array", tecAreStatuses).with("items", one)
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
		tecEnum("orderby", "date", "event_date", "title", "menu_order", "modified"),
		tecEnum("order", "ASC", "DESC"),
	)
}

// tecFields are the parameters of a write. Others are ignored.
func tecFields(k kind) []arg {
	fields := []arg{
		tecDate("date", tecPostPattern), tecDate("date_gmt", tecPostPattern), tecText("slug"),
		tecEnum("status", tecPostStatuses...), tecText("title"), tecText("content"), tecText("excerpt"),
		tecNumber("author"), tecNumber("featured_media"),
		tecEnum("comment_status", "open", "closed"), tecEnum("ping_status", "open", "closed"),
		tecEnum("format", "standard", "aside", "chat", "gallery", "link", "image", "quote", "status", "video", "audio"),
		tecBool("sticky"), tecText("template"), tecIDs("tags", tecArePositive),
	}
	website := tecOf("website", "string", tecIsURL)
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
	return append(fields, tecText("phone"), website, tecOf("email", "string", tecIsEmail))
}

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

// tecTarget is the post of the id, or nil. In a list, the id comes from the query.
func (c *call) tecTarget() *post { return c.blog.post(c.params.int("id")) }

// tecMayList lets everybody list, unless an id in the query makes it about an item.
func (c *call) tecMayList() bool {
	return !c.params.given("id") || c.tecMayRead()
}

// tecMayRead lets everybody try the id 0, which is no item.
func (c *call) tecMayRead() bool {
	p := c.tecTarget()
	return c.tecZero() || p != nil && p.kind == c.route.kind && c.user.reads(p)
}

// tecMayEdit looks at posts of all kinds: the endpoint finds out that the kind is wrong.
func (c *call) tecMayEdit() bool {
	p := c.tecTarget()
	return p != nil && c.user.edits(p) || c.tecZero() && c.user.createsPost()
}

func (c *call) tecZero() bool { return c.params.str("id") == "0" }

// tecError is an error in the form of the successor, which has no code.
func tecError(status int, text string) *answer {
	return &answer{status: status, failed: true, body: object{{"error", text}}}
}

// tecRead answers also for an item behind a password, in words that hide it.
func (c *call) tecRead() (*answer, error) {
	p := c.blog.find(c.route.kind, c.params.int("id"))
	if p == nil || p.status == "trash" {
		return tecError(404, "The entity could not be read."), nil
	}
	return ok(c.tecPost(p, c.params.str("context") == "edit"))
}

// schedule is when an event takes place, as text, in English in every language. It is empty
// for an event that has a password.
func (c *call) schedule(p *post, long bool) string {
	e := p.event
	if p.password != "" {
		return ""
	}
	span := func(class, text string) string { return `<span class="tribe-event-` + class + `">` + text + `</span>` }
	day, clock := "January 2, 2006", "3:04 pm"
	oneDay := e.start.Format(time.DateOnly) == e.end.Format(time.DateOnly)
	if oneDay && e.start.Year() == c.now.In(e.start.Location()).Year() {
		day = "January 2"
	}
	switch {
	case e.allDay && oneDay && !long:
		return "All day"
	case e.allDay && oneDay:
		return span("date-start", e.start.Format(day))
	case e.allDay:
		return span("date-start", e.start.Format(day)) + " - " + span("date-end", e.end.Format(day))
	case !oneDay:
		return span("date-start", e.start.Format(day+" @ "+clock)) + " - " + span("date-end", e.end.Format(day+" @ "+clock))
	}
	begins := span("date-start", e.start.Format(clock))
	if long {
		begins = span("date-start", e.start.Format(day+" @ "+clock))
	}
	if e.end.Equal(e.start) {
		return begins
	}
	return begins + " - " + span("time", e.end.Format(clock))
}
