package config

import (
	"fmt"
	"net"
	"regexp"
)

// Admin configures the admin listener.
type Admin struct {
	// Token is the bearer token of the admin listener, at least 16 characters. It
	// protects POST /purge, /staging, the status page and the profiles. Default
	// none: /purge and /staging are disabled, and only clients on this machine may
	// open the status page.
	Token Secret `yaml:"token"`

	// PurgeToken is a bearer token for POST /purge and nothing else, at least 16 characters: for
	// the WordPress plugin. It differs from [Admin.Token]. Default none.
	PurgeToken Secret `yaml:"purge_token"`

	// Hosts are the host names of the admin listener, without a port. A request
	// without a token is served only if its Host is one of these, localhost or an IP
	// address, so that no web page can reach the listener by DNS rebinding. Default
	// none.
	Hosts []string `yaml:"hosts"`
}

var (
	tokenPattern = regexp.MustCompile(`^[!-~]{16,}$`)
	namePattern  = regexp.MustCompile(`^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$`)
)

// tokens checks the secrets of both listeners.
func (f *faults) tokens(a Admin, c Cache, tester Secret) {
	f.token("admin.token", a.Token)
	f.token("admin.purge_token", a.PurgeToken)
	f.check(a.PurgeToken.Reveal() == "" || !a.PurgeToken.Equal(a.Token) && !a.PurgeToken.Equal(c.RenewToken) && !a.PurgeToken.Equal(tester),
		"admin.purge_token", "must differ from admin.token, cache.renew_token and staging.tester_token, which have other privileges")
	f.token("cache.renew_token", c.RenewToken)
	f.check(c.RenewToken.Reveal() == "" || !c.RenewToken.Equal(a.Token), "cache.renew_token",
		"must differ from admin.token, which has more privileges and is for another listener")
	f.token("staging.tester_token", tester)
	f.check(tester.Reveal() == "" || !tester.Equal(a.Token) && !tester.Equal(c.RenewToken), "staging.tester_token",
		"must differ from admin.token and cache.renew_token, which have other privileges")
	for i, host := range a.Hosts {
		f.check(namePattern.MatchString(host), fmt.Sprintf("admin.hosts[%d]", i), "%q is not a host name without a port", host)
	}
}

func (f *faults) token(key string, token Secret) {
	f.check(token.Reveal() == "" || tokenPattern.MatchString(token.Reveal()), key,
		"must have at least 16 ASCII characters, without spaces")
}

func (f *faults) adminListen(addr string, token bool) {
	if addr == "" {
		return
	}
	f.address("admin_listen", addr)
	host, _, err := net.SplitHostPort(addr)
	f.check(err != nil || token || isLoopback(host), "admin_listen",
		"%q is not a loopback address, which requires an admin.token", addr)
}
