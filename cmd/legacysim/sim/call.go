package sim

import (
	"cmp"
	"errors"
	"net/http"
	"slices"
	"strings"
)

func (s *Site) newCall(r *http.Request, body []byte) *call {
	c := &call{site: s, http: r, body: body, now: s.opts.Clock(), query: parseQuery(r.URL.RawQuery)}
	var form params
	contentType := r.Header.Get("Content-Type")
	if r.Method == http.MethodPost && !strings.HasPrefix(contentType, "application/json") {
		form, _ = parseBody(contentType, body) // PHP fills $_POST for no other method
	}
	c.root = s.locate(r, c.query, form)
	c.method = method(r, c.query)
	return c
}

// method lets the query and a header change the method, on any request; an empty method in the query leaves
// the request without a method.
func method(r *http.Request, query params) string {
	if query.isGiven("_method") {
		return strings.ToUpper(query.str("_method"))
	}
	return strings.ToUpper(cmp.Or(r.Header.Get("X-HTTP-Method-Override"), r.Method))
}

// runLocked answers the call.
func (c *call) runLocked() *answer {
	if c.reads() {
		c.site.mu.RLock()
		defer c.site.mu.RUnlock()
	} else {
		c.site.mu.Lock()
		defer c.site.mu.Unlock()
	}
	c.blog = c.site.blogs[c.root.lang.code]
	a, err := c.run()
	if e, ok := errors.AsType[*apiError](err); ok {
		return e.answer()
	}
	return a
}

// run performs the steps of WordPress in the order of WordPress. A call that fails a step learns nothing of
// the next: wrong credentials hide that there is no route, a faulty body hides that the write would not have
// been allowed.
func (c *call) run() (*answer, error) {
	if err := c.authenticate(); err != nil {
		return nil, err
	}
	// WordPress drops backslashes, and slashes at the end.
	path := strings.TrimRight(stripSlashes(strings.ReplaceAll(c.root.path, "%5C", `\`)), "/")
	rt, values := c.site.match(path)
	if rt == nil {
		return c.outside(path)
	}
	c.route = rt
	bodyErr := c.merge(values)
	c.allow = rt.allowed(c)
	if c.method == "OPTIONS" {
		return success(rt.describe(c))
	}
	e := rt.endpoint(c.method)
	if e == nil {
		c.allow = nil
		return nil, c.root.lang.noRoute()
	}
	if bodyErr != nil {
		return nil, bodyErr
	}
	c.speak()
	if err := c.validate(e.args); err != nil {
		return nil, err
	}
	c.general = c.bySlug
	if e.may != nil && !e.may(c) {
		return nil, c.forbidden()
	}
	a, err := e.run(c)
	if err == nil && c.reads() {
		c.showPlants(a)
	}
	return a, err
}

// authenticate finds the user. Basic credentials that are wrong fail every request, also a public one;
// credentials other than Basic, or without a password, are ignored. A cookie alone counts for nothing without
// the nonce.
func (c *call) authenticate() error {
	lang := c.root.lang
	if name, password, ok := c.http.BasicAuth(); ok && password != "" {
		u := userByName(name)
		switch {
		case u == nil && strings.Contains(name, "@"):
			return lang.fail(401, "invalid_email", "<strong>Error:</strong> Unknown email address. Check again or try your username.")
		case u == nil:
			return lang.fail(401, "invalid_username", "<strong>Error:</strong> Unknown username. Check again or try your email address.")
		}
		if password != u.Password {
			return lang.fail(401, "incorrect_password", "The provided password is an invalid application password.")
		}
		c.user, c.private = u, true
		return nil
	}
	return c.authenticateCookie()
}

// authenticateCookie refuses a wrong nonce even without a cookie. An empty nonce is wrong.
func (c *call) authenticateCookie() error {
	nonce := c.http.Header.Get("X-WP-Nonce")
	hasNonce := c.http.Header.Values("X-WP-Nonce") != nil
	if c.query.isGiven("_wpnonce") {
		nonce = c.query.str("_wpnonce")
		hasNonce = true
	}
	if !hasNonce {
		return nil
	}
	c.private = true
	if cookie, err := c.http.Cookie(loginCookie); err == nil {
		if u := userByName(cookie.Value); u != nil && nonce == u.Nonce() {
			c.user, c.nonce = u, true
			return nil
		}
	}
	return c.root.lang.fail(403, "rest_cookie_invalid_nonce", "Cookie check failed")
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

// loginCookie is the name of the login cookie; the value is the user's name.
const loginCookie = "wordpress_logged_in_sim"

// Nonce must come with the cookie, as X-WP-Nonce or _wpnonce.
func (u User) Nonce() string { return "nonce-of-" + u.Name }

func userByName(name string) *User {
	if i := slices.IndexFunc(Users, func(u User) bool { return u.Name == name }); i >= 0 {
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
		if i := slices.IndexFunc(c.site.languages, func(l *language) bool { return strings.EqualFold(l.code, requested) }); i > 0 {
			c.lang = c.site.languages[i]
		}
	}
	if !c.reads() {
		c.blog.lang = cmp.Or(c.lang, c.site.languages[0])
	}
}

// lists reports whether an item is in the lists of this call.
func (c *call) lists(i *item) bool {
	switch mode := c.site.opts.Languages; {
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
		if p := c.blog.posts[id]; p != nil {
			posts = append(posts, c.blog.posts[c.blog.inLanguage(&p.item, c.root.lang).id])
		}
	}
	return posts
}

// withTranslations adds the ids of translations: WPML finds the events of any.
func (c *call) withTranslations(ids []int) []int {
	extended := slices.Clone(ids)
	for _, id := range ids {
		if p := c.blog.post(id); p != nil {
			for _, lang := range c.site.languages {
				extended = append(extended, c.blog.inLanguage(&p.item, lang).id)
			}
		}
	}
	return extended
}

// polylang lists the languages, to everybody.
func (c *call) polylang() (*answer, error) {
	out := list{}
	for i, lang := range c.site.languages {
		locale := strings.ReplaceAll(lang.Locale, "-", "_")
		out = append(out, object{
			{"name", lang.code}, {"slug", lang.code}, {"locale", locale}, {"w3c", lang.Locale},
			{"home_url", c.base() + lang.prefix + "/"}, {"active", true}, {"is_default", i == 0},
		})
	}
	return success(out)
}
