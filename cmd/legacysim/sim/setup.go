package sim

import (
	"cmp"
	"time"
)

// Setup is in what a site is set up otherwise than the usual one, by its server, its
// plugins or what stands in front of it. The zero value is the usual one.
type Setup struct {
	// Basic is "user:password" that the web server wants as HTTP Basic, "" for none. It
	// hands X-Authorization on to WordPress as Authorization.
	Basic string

	Host string // the only one that is answered; "": any

	Cookie  string // the name of one that each answer sets; "": none
	NoStore bool   // no answer may be stored

	NoTotals bool // the header fields with the counts of a list get lost on the way

	Surplus string // what stands before each answer, a key of Surpluses; "": nothing

	DayEnds time.Duration // after midnight; all-day events begin and end then

	Plain      bool   // permalinks are plain: routes and pages are parameters
	RESTPrefix string // begins the path of the REST interface, without slashes; "": wp-json
	Directory  string // in which the site is, without slashes; "": at the top
	WordPress  string // the directory of WordPress and its files, likewise; "": Directory
}

// Root is the path of the REST root, to which the path of a call is appended.
func (s Setup) Root() string {
	if s.Plain {
		return s.directory() + plainRoot
	}
	return s.directory() + s.prefix()
}

func (s Setup) prefix() string { return "/" + cmp.Or(s.RESTPrefix, "wp-json") }

// directory is the path of the site.
func (s Setup) directory() string { return below(s.Directory) }

// files is the path of WordPress.
func (s Setup) files() string { return below(cmp.Or(s.WordPress, s.Directory)) }

func below(directory string) string {
	if directory == "" {
		return ""
	}
	return "/" + directory
}

// Surpluses are texts that sites write before their answers without meaning to.
var Surpluses = map[string]string{
	"blank-lines": "\n\n",
	"bom":         "\ufeff",
	"notice": "<br />\n<b>Warning</b>:  Undefined variable $opening in " +
		"<b>/srv/www/wp-content/plugins/opening-hours/hours.php</b> on line <b>12</b><br />\n",
}

// plainRoot is what the REST root has in its place where permalinks are plain.
const plainRoot = "/index.php?rest_route="
