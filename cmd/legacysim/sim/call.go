package sim

import (
	"cmp"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"
)

// call is one request to the REST API in progress.
type call struct {
	site  *Site
	http  *http.Request
	root  root
	query params
	body  []byte
	now   time.Time

	blog    *blog
	lang    *language // of the parameter lang; nil without the parameter
	bySlug  bool      // the path names an item by slug
	general bool      // rights to write in general, not to the item
	params  params    // of path, query and body
	user    *User     // nil: anonymous
	allow   []string
	counts  map[int]int // of events by term, made when first needed
}

// root is where a request goes: a language, and a route of the REST API or the
// path of a page.
type root struct {
	lang   *language
	isREST bool
	path   string // begins with a slash; still percent-encoded
}

// reads reports whether the call changes nothing.
func (c *call) reads() bool { return c.http.Method == "GET" || c.http.Method == "HEAD" }

// merge puts the parameters together. The path comes first and loses: an id or slug in the query or body
// beats the path.
func (c *call) merge(path params) error {
	c.bySlug = path.str("slug") != ""
	c.params = path
	body, err := parseBody(c.body)
	maps.Copy(c.params, c.query)
	maps.Copy(c.params, body)
	if err != nil {
		return c.root.lang.fail(400, "rest_invalid_json")
	}
	return nil
}

// authenticate finds the user. Basic credentials that are wrong fail every request, also a public one;
// credentials other than Basic, or without a password, are ignored.
func (c *call) authenticate() error {
	name, password, ok := c.http.BasicAuth()
	if !ok || password == "" {
		return nil
	}
	u := userByName(name)
	switch {
	case u == nil && strings.Contains(name, "@"):
		return c.root.lang.fail(401, "invalid_email")
	case u == nil:
		return c.root.lang.fail(401, "invalid_username")
	case password != u.Password:
		return c.root.lang.fail(401, "incorrect_password")
	}
	c.user = u
	return nil
}

// User is somebody who can log in. The passwords are application passwords and
// made up: they open nothing but this stand-in.
type User struct {
	ID       int
	Name     string
	Role     string
	Password string
}

// Users is everybody there is. The author is between editor and contributor:
// publishes, but changes only own posts.
var Users = []User{
	{1, "admin", "administrator", "admin-app-password"},
	{2, "editor", "editor", "editor-app-password"},
	{3, "author", "author", "author-app-password"},
	{4, "contributor", "contributor", "contributor-app-password"},
	{5, "subscriber", "subscriber", "subscriber-app-password"},
}

func userByName(name string) *User {
	i := slices.IndexFunc(Users, func(u User) bool { return u.Name == name })
	if i >= 0 {
		return &Users[i]
	}
	return nil
}

// role reports whether the user, nil for anonymous, has one of the roles.
func (u *User) role(roles ...string) bool {
	return u != nil && slices.Contains(roles, u.Role)
}

// The rights of the roles of WordPress.

func (u *User) managesAll() bool  { return u.role("administrator", "editor") }
func (u *User) publishes() bool   { return u.role("administrator", "editor", "author") }
func (u *User) createsPost() bool { return u.role("administrator", "editor", "author", "contributor") }

// edits reports whether the user may change the post. A contributor loses the right to an own post when the
// post is published.
func (u *User) edits(p *post) bool {
	switch {
	case u.managesAll():
		return true
	case !u.createsPost() || p.author != u.ID:
		return false
	}
	return u.publishes() || p.status == "draft" || p.status == "pending"
}

// reads reports whether the user sees the post, apart from the password.
func (u *User) reads(p *post) bool {
	return p.status == "publish" || u.edits(p)
}

func (c *call) forbidden() error {
	if c.user == nil {
		return c.root.lang.fail(401, "rest_forbidden")
	}
	return c.root.lang.fail(403, "rest_forbidden")
}

// locked reports whether the post has a password that the call lacks.
func (c *call) locked(p *post) bool {
	return p.password != "" && c.params.str("password") != p.password
}

// speak finds the language of the call, in which the call also adds items. An unknown language means the
// default, and the query beats the body.
func (c *call) speak() {
	if !c.site.opts.Languages.byParameter() {
		if !c.reads() && !c.site.opts.Languages.oneItem() {
			c.blog.lang = c.root.lang
		}
		return
	}
	requested := c.query.str(langArg)
	if requested == "" {
		requested = c.params.str(langArg)
	}
	if requested != "" {
		c.lang = c.site.languages[0]
		i := slices.IndexFunc(c.site.languages, func(l *language) bool { return strings.EqualFold(l.code, requested) })
		if i > 0 {
			c.lang = c.site.languages[i]
		}
	}
	if !c.reads() {
		c.blog.lang = cmp.Or(c.lang, c.site.languages[0])
	}
}

// lists reports whether an item is in the lists of this call.
func (c *call) lists(i *item) bool {
	mode := c.site.opts.Languages
	switch {
	case mode == ByParameter, mode == Mixed && i.kind.ofTerms():
		return c.lang == nil || i.lang == c.lang
	case mode == Fallback:
		return c.blog.inLanguage(i, c.root.lang) == i && (i.lang == c.root.lang || i.lang == c.site.languages[0])
	}
	return true
}

// shownPosts are the posts that show where these are referred to: with WPML their
// translations, or the originals of posts without a translation.
func (c *call) shownPosts(ids []int) (posts []*post) {
	for _, id := range ids {
		p := c.blog.posts[id]
		if p != nil {
			posts = append(posts, c.blog.posts[c.blog.inLanguage(&p.item, c.root.lang).id])
		}
	}
	return posts
}

// withTranslations adds the ids of translations: WPML finds the events of any.
func (c *call) withTranslations(ids []int) []int {
	extended := slices.Clone(ids)
	for _, id := range ids {
		p := c.blog.post(id)
		if p != nil {
			for _, lang := range c.site.languages {
				extended = append(extended, c.blog.inLanguage(&p.item, lang).id)
			}
		}
	}
	return extended
}
