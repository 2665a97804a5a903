package sim

import (
	"regexp"
	"strings"
	"sync"
)

// tecRouteTable returns the whole namespace, which sites share likewise.
var tecRouteTable = sync.OnceValue(newTECRouteTable)

func newTECRouteTable() []tecRoute {
	const id = `/(?P<id>\d+)`
	change := []string{"PUT", "PATCH"} // and not POST
	force := []tecArg{tecBool("force", "Whether to bypass Trash and force deletion.").with("default", false)}
	table := []tecRoute{{endpoints: []tecEndpoint{{methods: get, open: true, run: (*call).tecIndex}}}}
	for _, k := range []kind{eventKind, organizerKind, venueKind} {
		table = append(table, tecRoute{pattern: "/" + tecFolder(k), kind: k, endpoints: []tecEndpoint{
			{methods: get, args: tecFilters(k), may: (*call).tecMayList, run: (*call).tecList},
			{methods: create, args: tecFields(k), may: (*call).tecMayCreate, run: (*call).tecCreate},
		}}, tecRoute{pattern: "/" + tecFolder(k) + id, kind: k, endpoints: []tecEndpoint{
			{methods: get, may: (*call).tecMayRead, run: (*call).tecRead},
			{methods: change, args: tecFields(k), may: (*call).tecMayEdit, run: (*call).tecUpdate},
			{methods: remove, args: force, may: (*call).tecMayEdit, run: (*call).tecDelete},
		}})
	}
	table = append(table, tecRoute{pattern: "/docs", endpoints: []tecEndpoint{{methods: get, open: true, run: (*call).tecDocs}}})
	for i := range table {
		table[i].re = regexp.MustCompile(`(?i)^/` + tecNamespace + table[i].pattern + `$`)
	}
	return table
}

// tec serves the requests below its namespace, and reports whether it has the path. Faults
// of parameters come before rights, and these before the acknowledgement, which is looked
// at in the endpoint itself.
func (c *call) tec(path string) (a *answer, ok bool, err error) {
	for i := range c.site.tecRoutes {
		rt := &c.site.tecRoutes[i]
		if m := rt.re.FindStringSubmatch(path); m != nil {
			values := params{}
			if len(m) > 1 {
				values["id"] = m[1]
			}
			a, err := c.tecCall(rt, c.merge(values))
			return a, true, err
		}
	}
	return nil, false, nil
}

func (c *call) tecCall(rt *tecRoute, bodyErr error) (*answer, error) {
	c.allow = rt.allowed(c)
	if c.method == "OPTIONS" {
		return &answer{status: 200, body: rt.describe(c, true)}, nil
	}
	e := rt.endpoint(c.method)
	if e == nil {
		c.allow = nil
		return nil, c.root.lang.noRoute()
	}
	if bodyErr != nil {
		return nil, bodyErr
	}
	if err := c.tecValidate(e.args); err != nil {
		return nil, err
	}
	if e.may != nil && !e.may(c, rt.kind) {
		return nil, c.forbidden()
	}
	if err := c.tecAcknowledged(); err != nil && !e.open {
		return nil, err
	}
	a, err := e.run(c, rt.kind)
	if c.allow != nil { // no fatal error of PHP
		c.allow = rt.allowed(c)
	}
	return a, err
}

func (c *call) tecAcknowledged() error {
	said := strings.ToLower(strings.TrimSpace(c.http.Header.Get("X-TEC-EEA")))
	if said == tecAcknowledgement {
		return nil
	}
	wanted := "appropriate acknowledgement"
	if said == "" {
		wanted = "acknowledgement"
	}
	return &apiError{status: 400, code: "missing_experimental_endpoint_acknowledgement", message: "Experimental endpoint requires " + wanted + " header."}
}

// tecAcknowledgement is the required value of X-TEC-EEA, in upper or lower case: the
// whole of it is marked experimental.
const tecAcknowledgement = "i understand that this endpoint is experimental and may change in a future release without maintaining backward compatibility. " +
	"i also understand that i am using this endpoint at my own risk, while support is not provided for it."

// tecValidate reports all faults of the parameters of a request.
func (c *call) tecValidate(args []tecArg) error {
	var faults []paramFault
	for _, a := range args {
		v := c.params[a.name]
		if v == nil || a.check == nil {
			continue
		}
		switch err := a.check(c, a.name, v).(type) {
		case nil:
		case *tecFault:
			data := object{{"status", 400}, {"argument", err.argument}, {"details", err.details}}
			faults = append(faults, paramFault{a.name, err.code, err.message, data})
		case *apiError:
			return err
		default:
			faults = append(faults, paramFault{name: a.name, message: c.root.lang.text(msgInvalidOne)})
		}
	}
	if faults != nil {
		return c.root.lang.invalidParams(faults)
	}
	return nil
}
