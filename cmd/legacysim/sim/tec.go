package sim

import (
	"regexp"
	"slices"
	"strings"
)

// The successor of the legacy API, as version 6.17 of the plugin has it beside
// that one, over the same content. Terms and images are WordPress's own.

const tecNamespace = "tec/v1"

// tecAcknowledgement is the required value of X-TEC-EEA, in upper or lower case: the
// whole of it is marked experimental.
const tecAcknowledgement = "i understand that this endpoint is experimental and may change in a future release without maintaining backward compatibility. " +
	"i also understand that i am using this endpoint at my own risk, while support is not provided for it."

var tecRoute = regexp.MustCompile(`^/` + tecNamespace + `/(events|venues|organizers)(?:/(\d+))?$`)

// tecKinds are the post types of its collections.
var tecKinds = map[string]kind{"events": eventKind, "venues": venueKind, "organizers": organizerKind}

// tec serves the requests below its namespace. Rights come before the acknowledgement,
// which is looked at in the endpoint itself.
func (c *call) tec(path string) (*answer, error) {
	m := tecRoute.FindStringSubmatch(path)
	if m == nil {
		return nil, c.root.lang.noRoute()
	}
	k, single := tecKinds[m[1]], m[2] != ""
	if err := c.merge(params{}); err != nil {
		return nil, err
	}
	p := c.blog.find(k, atoi(m[2]))
	run, may := c.tecEndpoint(k, p, single)
	if run == nil {
		return nil, c.root.lang.noRoute()
	}
	c.allow = get
	if !single && c.reads() {
		if faults := c.tecFaults(); faults != nil {
			return nil, c.root.lang.invalidParams(faults)
		}
	}
	if !may {
		return nil, c.forbidden()
	}
	if said := strings.ToLower(strings.TrimSpace(c.http.Header.Get("X-TEC-EEA"))); said != tecAcknowledgement {
		return nil, &apiError{status: 400, code: "missing_experimental_endpoint_acknowledgement", message: "Experimental endpoint requires acknowledgement header."}
	}
	return run()
}

// tecEndpoint returns the action of a method, and whether the user may perform it. One that is not
// there is forbidden: rights are looked at before that.
func (c *call) tecEndpoint(k kind, p *post, single bool) (run func() (*answer, error), may bool) {
	switch {
	case !single && c.reads():
		return func() (*answer, error) { return c.tecList(k) }, true
	case !single && c.method == "POST":
		return func() (*answer, error) { return c.tecCreate(k) }, c.user.createsPost()
	case single && c.reads():
		return func() (*answer, error) { return ok(c.tecPost(p)) }, p != nil && c.user.reads(p)
	case single && (c.method == "PUT" || c.method == "PATCH"): // and not POST
		return func() (*answer, error) { return c.tecUpdate(p) }, p != nil && c.user.edits(p)
	case single && c.method == "DELETE":
		return func() (*answer, error) { return c.tecDelete(p) }, p != nil && c.user.edits(p)
	}
	return nil, false
}

// tecFaults judges the parameters of a list. A list of ids must be one: a single
// id in a string is none.
func (c *call) tecFaults() []paramFault {
	var faults []paramFault
	bad := func(name string) {
		faults = append(faults, paramFault{name: name, message: c.root.lang.text(msgInvalidOne)})
	}
	for _, name := range []string{"page", "per_page", "event", "post_parent"} {
		if c.params.given(name) && c.params.int(name) < 1 || name == "per_page" && c.params.int(name) > 100 {
			bad(name)
		}
	}
	for name, k := range map[string]kind{"categories": "", "tags": "", "venue": venueKind, "organizer": organizerKind} {
		v := c.params[name]
		text, isText := v.(string)
		switch {
		case v == nil:
		case k == "" && isText && !strings.Contains(text, ","), arePositive(c, v) != nil, k != "" && arePosts(k)(c, v) != nil:
			bad(name)
		}
	}
	for _, name := range tecDates {
		if c.params.given(name) && isDate(c, c.params[name]) != nil {
			bad(name)
		}
	}
	slices.SortFunc(faults, func(a, b paramFault) int { return strings.Compare(a.name, b.name) })
	return faults
}

var tecDates = []string{"start_date", "end_date", "starts_after", "starts_before", "ends_after", "ends_before"}

// tecStatuses are those of a list: those who do not write are shown what is
// published, whatever they ask for.
func (c *call) tecStatuses() []string {
	if asked := c.params.list("status"); asked != nil && c.user.createsPost() {
		return asked
	}
	return []string{"publish"}
}

func (c *call) tecList(k kind) (*answer, error) {
	found := c.tecFound(k)
	p := c.wpPaging(len(found))
	if p.beyond() {
		return &answer{status: 404, failed: true, body: object{
			{"code", "tec_rest_organizers_page_not_found"}, {"message", "The requested page was not found."},
		}}, nil
	}
	items := list{}
	for _, one := range slice(found, p) {
		items = append(items, c.tecPost(one))
	}
	return wpList(items, p), nil
}

// wpPaging allows up to a hundred items on a page.
func (c *call) wpPaging(total int) paging {
	p := paging{page: max(c.params.int("page"), 1), per: 10, total: total}
	if c.params.given("per_page") {
		p.per = c.params.int("per_page")
	}
	p.pages = (total + p.per - 1) / p.per
	return p
}

// wpList is a plain list, counted in the header.
func wpList(items list, p paging) *answer {
	return &answer{status: 200, body: items, more: object{{"X-WP-Total", p.total}, {"X-WP-TotalPages", p.pages}}}
}
