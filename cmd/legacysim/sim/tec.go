package sim

import (
	"net/mail"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"
)

// The successor of the legacy API, as version 6.17 of the plugin has it beside
// that one, over the same content. Terms and images are WordPress's own (wp.go).

const tecNamespace = "tec/v1"

// tecRoutes are the routes of the document.
func tecRoutes() []route {
	document := form("tec", nil)
	table := []route{{namespace: tecNamespace, endpoints: []endpoint{{methods: get, run: (*call).index}}}}
	asOfEvents := strings.NewReplacer("organizers", "events", "venues", "events")
	for _, pathMember := range document.lookup("paths") {
		resource, _, _ := strings.Cut(pathMember.Name[1:], "/")
		rt := route{namespace: tecNamespace, pattern: strings.Replace(pathMember.Name, "{id}", idPattern, 1), kind: kindOf[resource]}
		for _, operation := range pathMember.Value.(object) {
			e := tecEndpoints[operation.Name+" "+asOfEvents.Replace(pathMember.Name)]
			e.args = tecArgs(document, operation.Value.(object))
			rt.endpoints = append(rt.endpoints, e)
		}
		table = append(table, rt)
	}
	return table
}

// tecEndpoints are the operations of the document, where venues and organizers have the same as events. An update is
// PUT or PATCH, and not POST.
var tecEndpoints = map[string]endpoint{
	"get /events":         {methods: get, may: (*call).tecMayList, run: (*call).tecList},
	"post /events":        {methods: create, may: postDef{}.mayCreate, run: (*call).tecCreate},
	"get /events/{id}":    {methods: get, may: (*call).tecMayRead, run: (*call).tecRead},
	"put /events/{id}":    {methods: []string{"PUT", "PATCH"}, may: (*call).tecMayEdit, run: (*call).tecUpdate},
	"delete /events/{id}": {methods: remove, may: (*call).tecMayEdit, run: (*call).tecDelete},
	"get /docs":           {methods: get, run: (*call).tecDocs},
}

// tecDocs is the OpenAPI document in short.
func (c *call) tecDocs() (*answer, error) {
	return success(form("tec", object{{"server", c.restLink(tecNamespace)}}))
}

// tecArgs are the parameters of an operation in the query and in the body. Others are ignored.
func tecArgs(document, operation object) (args []arg) {
	parameters, _ := operation.get("parameters").(list)
	for _, p := range parameters {
		if p := p.(object); p.get("in") == "query" {
			args = append(args, tecArg(p.get("name").(string), p.lookup("schema")))
		}
	}
	ref, _ := operation.lookup("requestBody", "content", "application/json", "schema").get("$ref").(string)
	for _, field := range document.lookup("components", "schemas", path.Base(ref), "properties") {
		args = append(args, tecArg(field.Name, field.Value.(object)))
	}
	return args
}

// acknowledged wants the header field that goes with requests for items. The endpoint itself checks the
// field: faults of parameters come before rights, and rights before this field.
func (c *call) acknowledged() error {
	acknowledgement := strings.ToLower(strings.TrimSpace(c.http.Header.Get("X-TEC-EEA")))
	if c.route.kind == "" || acknowledgement == tecAcknowledgement {
		return nil
	}
	demand := "appropriate acknowledgement"
	if acknowledgement == "" {
		demand = "acknowledgement"
	}
	return refusal(400, "missing_experimental_endpoint_acknowledgement", "Experimental endpoint requires "+demand+" header.")
}

// tecAcknowledgement is the required value of X-TEC-EEA, in upper or lower case: the whole API is marked
// experimental.
const tecAcknowledgement = "i understand that this endpoint is experimental and may change in a future release " +
	"without maintaining backward compatibility. i also understand that i am using this endpoint at my own risk, " +
	"while support is not provided for it."

// tecArg is a parameter with the check of the schema. A boolean has no check: every value is a boolean, by
// PHP's rules.
func tecArg(name string, schema object) arg {
	a := arg{name: name, schema: schema, check: tecIsText}
	enum, _ := schema.get("enum").(list)
	pattern, _ := schema.get("pattern").(string)
	switch kind, format := schema.get("type"), schema.get("format"); {
	case kind == "boolean":
		a.check = nil
	case kind == "integer":
		a.check = tecIsPositive
	case kind == "array" && name == "status":
		a.check = tecAreOf(schema.lookup("items").get("enum").(list))
	case kind == "array" && (name == "venue" || name == "organizer"):
		a.check = tecArePosts(kindOf[name+"s"])
	case kind == "array":
		a.check = tecArePositive
	case enum != nil:
		a.check = func(_ *call, v any) error { return verdict(slices.Contains(enum, v)) }
	case format == "date-time":
		a.check = tecIsDate(pattern)
	case format == "uri":
		a.check = tecIsURL
	case format == "email":
		a.check = tecIsEmail
	}
	return a
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

var errNotPositive = &tecFault{
	code:    "positive_integer",
	message: "Argument %s must be a positive integer.",
	details: "The argument %s is not a positive integer.",
}

// tecArePositive wants a list, or a text with commas, and calls every parameter "example".
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

func tecAreOf(enum list) check {
	return func(_ *call, v any) error {
		return areAll(v, func(s string) bool { return slices.Contains(enum, any(s)) })
	}
}

// tecIsDate wants a text that matches the pattern and stands for an instant other
// than the first of 1970, which is a failure for PHP.
func tecIsDate(pattern string) check {
	re := regexp.MustCompile(pattern)
	return func(c *call, v any) error {
		s := scalar(v)
		if !re.MatchString(s) {
			details := "The argument %s does not match the pattern `" + pattern + "`."
			return &tecFault{
				code:    "date_time",
				message: "Argument %s must match the pattern.",
				details: details,
			}
		}
		if _, isNumber := phpNumber(v); isNumber && pattern == "" {
			return nil
		}
		t, ok := strtotime(s, c.now, time.UTC)
		if !ok || s == "" || t.Unix() == 0 {
			return &tecFault{
				code:    "date_time",
				message: "Argument %s must be a date-time.",
				details: "We cannot parse the argument %s as a date-time.",
			}
		}
		return nil
	}
}

func tecIsURL(c *call, v any) error {
	s, isText := v.(string)
	if !isText || s == "" || isURL(c, s) != nil {
		return &tecFault{
			code:    "uri",
			message: "Argument %s must be a valid URL.",
			details: "The argument %s is not a valid URL.",
		}
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
		return &tecFault{
			code:    "email",
			message: "Argument %s must be a valid email address.",
			details: "The argument %s is not a valid email address.",
		}
	}
	return nil
}

// tecTarget is the post of the id, or nil. In a list, the id comes from the query.
func (c *call) tecTarget() *post { return c.blog.post(c.params.int("id")) }

// tecMayList lets everybody list, unless an id in the query selects an item.
func (c *call) tecMayList() bool {
	return !c.params.isGiven("id") || c.tecMayRead()
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

// tecRead answers also for an item behind a password, in words that hide the item.
func (c *call) tecRead() (*answer, error) {
	p := c.blog.find(c.route.kind, c.params.int("id"))
	if p == nil || p.status == "trash" {
		return tecError(404, "The entity could not be read."), nil
	}
	return success(c.tecPost(p, c.params.str("context") == "edit"))
}

// schedule is when an event takes place, as text, in English in every language. The text is empty for an
// event that has a password.
func (c *call) schedule(p *post, long bool) string {
	e := p.event
	if p.password != "" {
		return ""
	}
	span := func(class, text string) string { return `<span class="tribe-event-` + class + `">` + text + `</span>` }
	layout := "January 2, 2006"
	clock := "3:04 pm"
	oneDay := e.start.Format(time.DateOnly) == e.end.Format(time.DateOnly)
	if oneDay && e.start.Year() == c.now.In(e.start.Location()).Year() {
		layout = "January 2"
	}
	if !e.allDay {
		layout += " @ " + clock
	}
	begins := span("date-start", e.start.Format(layout))
	switch {
	case e.allDay && oneDay && !long:
		return "All day"
	case !oneDay:
		return begins + " - " + span("date-end", e.end.Format(layout))
	case !long:
		begins = span("date-start", e.start.Format(clock))
	}
	if e.allDay || e.end.Equal(e.start) {
		return begins
	}
	return begins + " - " + span("time", e.end.Format(clock))
}
