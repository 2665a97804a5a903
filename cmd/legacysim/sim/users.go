package sim

import (
	"slices"
)

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

// loginCookie is the name of the login cookie; its value is the user's name.
const loginCookie = "wordpress_logged_in_sim"

// Nonce is what must come with the cookie, as X-WP-Nonce or _wpnonce.
func (u User) Nonce() string { return "nonce-of-" + u.Name }

func userByName(name string) *User {
	for i := range Users {
		if Users[i].Name == name {
			return &Users[i]
		}
	}
	return nil
}

func userByID(id int) *User {
	if id < 1 || id > len(Users) {
		return nil
	}
	return &Users[id-1]
}

// role reports whether the user, nil for anonymous, has one of the roles.
func (u *User) role(roles ...string) bool {
	return u != nil && slices.Contains(roles, u.Role)
}

// The rights of the roles of WordPress.

func (u *User) managesAll() bool  { return u.role("administrator", "editor") }
func (u *User) publishes() bool   { return u.role("administrator", "editor", "author") }
func (u *User) createsPost() bool { return u.role("administrator", "editor", "author", "contributor") }

// edits reports whether the user may change the post. A contributor loses what is
// his own when it is published.
func (u *User) edits(p *post) bool {
	switch {
	case u.managesAll():
		return true
	case !u.createsPost() || p.author != u.ID:
		return false
	}
	return u.publishes() || p.status == "draft" || p.status == "pending"
}

// reads reports whether the user sees the post, apart from its password.
func (u *User) reads(p *post) bool {
	return p.status == "publish" || u.edits(p)
}
