// Package invite makes the tokens with which testers reach the candidate of a migration, and
// prints how to use them.
//
// Start with [New].
package invite

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/staging/tester"
)

// Request describes the access that a tester gets.
type Request struct {
	Name      string
	For       time.Duration
	Writes    bool
	Resources []string // nil: all
	Languages []string // nil: all of the candidate
}

// Invitation is what "calfacade stage --tester --json" prints.
type Invitation struct {
	Error string `json:"error"` // "": none
	tester.Pass
	Token string `json:"token"`
	Field string `json:"field"`          // of a request
	Link  string `json:"link,omitempty"` // for browsers; "" without cookies
	Lists string `json:"lists"`          // a URL to try, for curl
}

// New makes an invitation with the key of a valid configuration.
func New(c config.Config, r Request, now time.Time) (Invitation, error) {
	key := c.Staging.Testers.Key.Reveal()
	pass := tester.Pass{
		Name: r.Name, Expires: now.Add(r.For).UTC().Truncate(time.Second),
		Writes: r.Writes, Resources: r.Resources, Languages: r.Languages,
	}
	switch err := pass.Check(now, c.Staging.Testers.MaxAge); {
	case c.Staging.Candidate == "":
		return Invitation{}, errors.New("staging.candidate is empty: there is nothing to test")
	case key == "":
		return Invitation{}, errors.New("staging.testers.key is empty: there are no testers")
	case slices.Contains(c.Staging.Testers.Revoked, r.Name):
		return Invitation{}, errors.New("staging.testers.revoked has the name: its tokens are refused")
	case err != nil:
		return Invitation{}, err
	}
	if err := errors.Join(known("resource", r.Resources, mapping.Resources()), known("language", r.Languages, c.Codes())); err != nil {
		return Invitation{}, err
	}
	token := tester.NewKey(key).Sign(pass)
	base := c.PublicURL + c.Languages[0].Root + "/" + mapping.Namespace
	i := Invitation{Pass: pass, Token: token, Field: tester.Field + ": " + token, Lists: base + "/" + listed(pass)}
	if c.Staging.Testers.Cookie {
		i.Link = base + tester.PagePath + "#" + token
	}
	return i, nil
}

func known(what string, names, all []string) error {
	for _, name := range names {
		if !slices.Contains(all, name) {
			return fmt.Errorf("%q is no %s: want some of %s", name, what, strings.Join(all, ", "))
		}
	}
	return nil
}

// listed returns a resource that a pass covers.
func listed(p tester.Pass) string {
	if len(p.Resources) > 0 {
		return p.Resources[0]
	}
	return mapping.Resources()[0]
}

// Print writes an invitation for people.
func (i Invitation) Print(w io.Writer) error {
	what, resources, languages := "reads", "all resources", "all languages"
	if i.Writes {
		what = "reads and writes"
	}
	if i.Resources != nil {
		resources = strings.Join(i.Resources, ", ")
	}
	if i.Languages != nil {
		languages = strings.Join(i.Languages, ", ")
	}
	text := fmt.Sprintf("The candidate serves %s of %s in %s to %s until %s UTC.\n\nHeader:  %s\nTry it:  curl -i -H '%[6]s' %[7]s\n",
		what, resources, languages, i.Name, i.Expires.Format(time.DateTime), i.Field, i.Lists)
	if i.Link != "" {
		text += "Browser: " + i.Link + "\n"
	}
	_, err := io.WriteString(w, text)
	return err
}
