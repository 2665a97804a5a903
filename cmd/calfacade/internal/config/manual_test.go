package config

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/proxy/edge"
	"github.com/calfacade/calfacade/proxy/legacyclients"
)

//go:generate go test -run ^TestManual$ -update .

var update = flag.Bool("update", false, "write generated text instead of comparing it")

const manualFile = "../../../../docs/configuration.md"

// TestManual compares the keys of docs/configuration.md with the comments of the
// configuration, and these with its defaults.
func TestManual(t *testing.T) {
	const begin, end = "<!-- keys -->\n", "<!-- /keys -->\n"
	head, tail, ok := strings.Cut(readFile(t, manualFile), begin)
	got, suffix, closed := strings.Cut(tail, end)
	if !ok || !closed {
		t.Fatalf("%s has no text between %q and %q", manualFile, begin, end)
	}
	m := newManual(t)
	m.text.WriteString("| Key | Value | |\n|---|---|---|\n")
	m.rows(reflect.TypeFor[Config]())
	m.learnType(reflect.TypeFor[Config]())
	m.text.WriteString("\n")
	want := m.text.String()
	if *update {
		if err := os.WriteFile(manualFile, []byte(head+begin+want+end+suffix), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := gocmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("%s is out of date; run go generate (-want +got):\n%s", manualFile, diff)
	}
}

// manual is the text of the keys as it is written.
type manual struct {
	*testing.T
	text     strings.Builder
	comments map[string]string        // by Type and Type.Field
	paths    map[string]string        // of keys and sections, by Type.Field
	defaults map[string]reflect.Value // by path
}

func newManual(t *testing.T) *manual {
	m := &manual{T: t, comments: comments(t), paths: map[string]string{}, defaults: map[string]reflect.Value{}}
	c := Default()
	m.learn("", reflect.ValueOf(&c).Elem())
	return m
}

// comments returns the comments of the structs of this package, and of their fields.
func comments(t *testing.T) map[string]string {
	t.Helper()
	files, err := fs.Glob(os.DirFS("."), "*.go")
	if err != nil {
		t.Fatal(err)
	}
	const root = "../../../../"
	files = append(files, root+"i18n/site.go", root+"proxy/edge/cors.go", root+"proxy/freshness/life.go",
		root+"proxy/freshness/surrogate.go",
		root+"proxy/legacyclients/clients.go", root+"proxy/onward/target.go", root+"proxy/staging/numbers.go",
		root+"proxy/staging/selection.go", root+"proxy/staging/setting.go")
	texts := map[string]string{}
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			group, ok := d.(*ast.GenDecl)
			if !ok || group.Tok != token.TYPE {
				continue
			}
			spec := group.Specs[0].(*ast.TypeSpec)
			texts[spec.Name.Name] = group.Doc.Text()
			if s, ok := spec.Type.(*ast.StructType); ok {
				for _, f := range s.Fields.List {
					for _, name := range f.Names {
						texts[spec.Name.Name+"."+name.Name] = f.Doc.Text()
					}
				}
			}
		}
	}
	return texts
}

// learn notes the paths and defaults of the keys of a section, and of the elements
// of its lists.
func (m *manual) learn(path string, section reflect.Value) {
	for field, value := range section.Fields() {
		if isInlined(field) {
			m.learn(path, value)
		}
		if !isKey(field) {
			continue
		}
		key, _, _ := strings.Cut(field.Tag.Get("yaml"), ",")
		name := strings.TrimPrefix(path+"."+key, ".")
		m.paths[section.Type().Name()+"."+field.Name], m.defaults[name] = name, value
		switch element := elementOf(value.Type()); {
		case isSection(value):
			m.learn(name, value)
		case element != nil:
			sample := reflect.New(element)
			if l, ok := sample.Interface().(*i18n.Language); ok {
				l.Select = i18n.ByBoth
			}
			m.learn(name+"[]", sample.Elem())
		}
	}
}

func isInlined(f reflect.StructField) bool { return strings.HasSuffix(f.Tag.Get("yaml"), ",inline") }

func isKey(f reflect.StructField) bool {
	name := f.Tag.Get("yaml")
	return name != "" && name != "-" && !isInlined(f)
}

// elementOf returns the type of the mappings in a list of them, else nil.
func elementOf(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Slice && isSection(reflect.Zero(t.Elem())) {
		return t.Elem()
	}
	return nil
}

// section writes the row of a section or a list, the rows of its keys, then the sections and lists in it that have their own.
func (m *manual) section(path string, t reflect.Type, about string) {
	fmt.Fprintf(&m.text, "| **`%s`** | | %s |\n", path, about)
	m.rows(t)
	m.learnType(t)
}

// small is the largest number of keys of a section that has no row of its own.
const small = 2

// hasRow reports whether a field has a row above the ones of its keys.
func (m *manual) hasRow(section reflect.Type, f reflect.StructField) bool {
	if elementOf(f.Type) != nil {
		return true
	}
	return isSection(reflect.New(f.Type).Elem()) && section == reflect.TypeFor[Config]() &&
		len(keysOf("", reflect.New(f.Type).Elem())) > small
}

// rows writes the rows of the keys of a struct.
func (m *manual) rows(t reflect.Type) {
	for i := range t.NumField() {
		switch f := t.Field(i); {
		case isInlined(f):
			m.rows(f.Type)
		case !isKey(f) || m.hasRow(t, f):
		case isSection(reflect.New(f.Type).Elem()):
			m.rows(f.Type)
		default:
			m.key(t, f)
		}
	}
}

// learnType writes the sections and lists in a struct.
func (m *manual) learnType(t reflect.Type) {
	for i := range t.NumField() {
		f := t.Field(i)
		path := m.paths[t.Name()+"."+f.Name]
		switch element := elementOf(f.Type); {
		case isInlined(f):
			m.learnType(f.Type)
		case !isKey(f):
		case element != nil:
			text := strings.ReplaceAll(m.comments[t.Name()+"."+f.Name], "\n", " ")
			m.checkDefault(path, text)
			m.section(path+"[]", element, m.sentence(f.Name, text))
		case m.hasRow(t, f):
			m.section(path, f.Type, m.sentence(f.Type.Name(), m.comments[f.Type.Name()]))
		case isSection(reflect.New(f.Type).Elem()):
			m.learnType(f.Type)
		}
	}
}

// key writes the row of a key.
func (m *manual) key(section reflect.Type, f reflect.StructField) {
	path := m.paths[section.Name()+"."+f.Name]
	text := strings.ReplaceAll(m.comments[section.Name()+"."+f.Name], "\n", " ")
	about := []string{typeName(m.T, f.Type)}
	if !m.checkDefault(path, text) {
		about = append(about, "required")
	}
	if f.Tag.Get("restart") != "" {
		about = append(about, "restart")
	}
	if !strings.Contains(path, "[]") && !hasVariable(path) {
		about = append(about, "in the file only")
	}
	fmt.Fprintf(&m.text, "| `%s` | %s | %s |\n", path, strings.Join(about, ", "), m.sentence(f.Name, text)+m.list(path, text))
}

var defaultWord = regexp.MustCompile(`Default (\S+)`)

// checkDefault reports whether a comment names a default, which must be the real one.
func (m *manual) checkDefault(path, text string) (stated bool) {
	value := m.defaults[path]
	word := defaultWord.FindStringSubmatch(text)
	if word == nil {
		stated = strings.Contains(text, "Default:")
		if !stated && !value.IsZero() {
			m.Errorf("%s: the comment names no default", path)
		}
		return stated
	}
	name := strings.TrimRight(word[1], ".;:,")
	empty := value.Kind() == reflect.String || value.Kind() == reflect.Slice || value.Kind() == reflect.Map ||
		value.Kind() == reflect.Struct
	if (name == "none" || name == "empty") && empty {
		if !value.IsZero() && (value.Kind() == reflect.String || value.Kind() == reflect.Struct || value.Len() > 0) {
			m.Errorf("%s: the default is %v, but %s in the comment", path, value, name)
		}
		return true
	}
	want := reflect.New(value.Type()).Elem()
	if err := setText(want, name); err != nil || !reflect.DeepEqual(want.Interface(), value.Interface()) {
		m.Errorf("%s: the default is %v, but %s in the comment", path, value, name)
	}
	return true
}

// list returns the default of a key whose comment leaves it to the reader of the code.
func (m *manual) list(path, text string) string {
	if !strings.Contains(text, "Default: ") {
		return ""
	}
	value, err := yaml.Marshal(m.defaults[path].Interface())
	if err != nil {
		m.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(value)), "\n")
	for i, line := range lines {
		lines[i] = "`" + strings.Trim(strings.TrimPrefix(line, "- "), `'"`) + "`"
	}
	return " They are " + strings.Join(lines, ", ") + "."
}

// sentence returns a comment without the name that it begins with. Links to fields become keys, and
// defaults code.
func (m *manual) sentence(name, text string) string {
	text = strings.ReplaceAll(strings.TrimSpace(text), "\n", " ")
	text = regexp.MustCompile(`^`+name+` (is |are )?`).ReplaceAllString(text, "")
	text = strings.ToUpper(text[:1]) + text[1:]
	text = defaultWord.ReplaceAllStringFunc(text, func(s string) string {
		value := strings.TrimPrefix(s, "Default ")
		word := strings.TrimRight(value, ".;:,")
		if word == "none" || word == "empty" {
			return s
		}
		return "Default `" + word + "`" + value[len(word):]
	})
	return regexp.MustCompile(`\[(\w+\.\w+)\]`).ReplaceAllStringFunc(text, func(s string) string {
		path, ok := m.paths[strings.Trim(s, "[]")]
		if !ok {
			m.Errorf("%s: no such field", s)
		}
		return "`" + path + "`"
	})
}

func typeName(t *testing.T, typ reflect.Type) string {
	t.Helper()
	names := map[reflect.Type]string{
		reflect.TypeFor[bool](): "boolean", reflect.TypeFor[int](): "integer", reflect.TypeFor[time.Duration](): "duration",
		reflect.TypeFor[Size](): "size", reflect.TypeFor[edge.Quota](): "quota", reflect.TypeFor[Secret](): "secret",
		reflect.TypeFor[Secrets](): "list of secrets", reflect.TypeFor[time.Time](): "time",
		reflect.TypeFor[legacyclients.Hours](): "text",
		reflect.TypeFor[TTLs]():                "mapping of collections to durations",
		reflect.TypeFor[map[string]int]():      "mapping of texts to integers",
		reflect.TypeFor[map[string]string]():   "mapping of texts to texts",
	}
	switch name := names[typ]; {
	case name != "":
		return name
	case typ.Kind() == reflect.String:
		return "text"
	case typ.Kind() == reflect.Slice && elementOf(typ) == nil:
		return "list of texts"
	case elementOf(typ) != nil:
		return "list of mappings"
	}
	t.Fatalf("no name for the type %s", typ)
	return ""
}

// hasVariable reports whether the environment can set a key.
func hasVariable(path string) bool {
	if path == "cache.ttl" || path == "languages" {
		return true // by what is in it
	}
	c := Default()
	for _, k := range c.keys() {
		if k.path == path {
			return !k.isMapping()
		}
	}
	return false
}
