package mapping

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

//go:generate go test -run ^TestContract$ -update .

// With regenerate the tests of this package write the files that they check.
var regenerate = flag.Bool("update", false, "write generated files instead of comparing them")

// TestContract compares contract.txt with the table. A change of the contract must be visible
// as a diff of that file.
func TestContract(t *testing.T) {
	const file = "contract.txt"
	want := contract()
	if *regenerate {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(string(got), "\n")); diff != "" {
		t.Errorf("%s differs from the table; run go generate and look at the change (-table +file):\n%s", file, diff)
	}
}

// contract returns the table as text, a line for each promise, so that a change of
// the contract is a diff that can be read.
func contract() string {
	var b strings.Builder
	for _, e := range Table {
		fmt.Fprintf(&b, "%s %s %s", e.Name(), strings.Join(e.Methods, ","), "/"+Namespace+e.Path)
		if e.TTL > 0 {
			fmt.Fprintf(&b, " ttl=%s", e.TTL)
		}
		b.WriteByte('\n')
		for _, p := range e.Args {
			fmt.Fprintf(&b, "%s %s %s\n", e.Name(), p.Name, strings.Join(e.promises(p), " "))
		}
		for _, p := range e.Extensions {
			fmt.Fprintf(&b, "%s %s %s extension\n", e.Name(), p.Name, strings.Join(e.promises(p), " "))
		}
		if e.Result != nil {
			fmt.Fprintf(&b, "%s answers %s\n", e.Name(), e.Result.Name)
		}
	}
	shapes := map[*Shape]bool{}
	for _, e := range Table {
		writeShape(&b, e.Result, shapes)
	}
	return b.String()
}

// writeShape writes the effect of rewriting on each attribute of a response, nested shapes
// after the one that has them.
func writeShape(b *strings.Builder, s *Shape, shapes map[*Shape]bool) {
	if s == nil || shapes[s] {
		return
	}
	shapes[s] = true
	for _, a := range s.Attributes {
		kind := a.Class.String()
		if a.Shape != nil {
			kind = a.Shape.Name
		}
		fmt.Fprintf(b, "%s.%s %s %s\n", s.Name, a.Name, kind, a.promised())
	}
	for _, a := range s.Attributes {
		writeShape(b, a.Shape, shapes)
	}
}

// promised returns the type of an attribute in contract.txt.
func (a *Attribute) promised() string {
	s := a.Type.String()
	if a.Null {
		s += " null"
	}
	if a.Optional {
		s += " optional"
	}
	return s
}

// String returns the type's name in contract.txt.
func (t Type) String() string {
	return [...]string{
		String: "string", Digits: "digits", DayTime: "day-time", Whole: "whole", Bool: "bool", Strings: "strings",
		Single: "single", SingleOrNone: "single-or-none", Several: "several", OneOrSeveral: "one-or-several", Named: "named",
		NamedLists: "named-lists", Free: "free", Hidden: "string-or-hidden",
	}[t]
}

// String returns the class's name in contract.txt.
func (c Class) String() string {
	return [...]string{
		Plain: "plain", Prose: "prose", Object: "object", RestLink: "rest-link", PageLink: "page-link", Website: "website",
		Taxonomy: "taxonomy", Relations: "relations", ThisPage: "this-page", NextPage: "next-page", PreviousPage: "previous-page",
		Parent: "parent", Email: "email", Other: "other", Message: "message",
	}[c]
}

func (e *Endpoint) promises(p *Param) []string {
	out := []string{[]string{"query", "path", "body"}[p.In], p.Kind.String()}
	add := func(applies bool, format string, args ...any) {
		if applies {
			out = append(out, fmt.Sprintf(format, args...))
		}
	}
	add(e.Requires(p), "required")
	add(p.Default != "", "default=%s", p.Default)
	add(p.Generated != NotGenerated, "default=generated")
	add(p.Null, "default=null")
	add(p.Enum != nil, "enum=%s", strings.Join(p.Enum, ","))
	add(p.Known != nil, "known=%s", strings.Join(p.Known, ","))
	add(p.Max != 0, "range=%g..%g", p.Min, p.Max)
	add(p.Max == 0 && p.Min != 0, "min=%g", p.Min)
	add(p.Cap != 0, "cap=%d", p.Cap)
	add(p.MaxLen > 0, "max-length=%d", p.MaxLen)
	add(p.Filled, "not-empty")
	add(p.Secret, "secret")
	add(len(p.Beside) > 0 && e.Action == Update, "completed-beside=%s", strings.Join(p.Beside, ","))
	add(p.Preserve && e.Action == Update, "kept")
	add(p.Single, "single")
	add(p.AliasOf != "", "alias-of=%s", p.AliasOf)
	add(p.With != "", "with=%s", p.With)
	add(p.LiftedBy != "", "lifted-by=%s", p.LiftedBy)
	add(p.ExactBy != "", "exact-by=%s", p.ExactBy)
	add(p.Of != "", "of=%s", p.Of)
	return out
}

// String returns the kind's name in contract.txt.
func (k Kind) String() string {
	return [...]string{
		Text: "text", TextLike: "text-like", Image: "image", Untyped: "untyped", Integer: "integer", Number: "number",
		Boolean: "boolean", BooleanLike: "boolean-like", DateTime: "date-time", ID: "id", Slug: "slug",
		IDSet: "id-set", TermSet: "term-set", FieldSet: "field-set", Terms: "terms", Links: "links", Price: "price",
	}[k]
}
