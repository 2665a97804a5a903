package config

import "net"

// Admin configures the admin listener.
type Admin struct {
	// Token is the bearer token of the admin listener, at least 16 characters. It
	// protects POST /purge, /staging, the status page and the profiles. Default
	// none: /purge and /staging are disabled, and only clients on this machine may
	// open the status page.
	Token Secret `yaml:"token" check:"?token"`

	// PurgeToken is a bearer token for POST /purge and nothing else, at least 16 characters: for
	// the WordPress plugin. It differs from [Admin.Token]. Default empty.
	PurgeToken Secret `yaml:"purge_token" check:"?token"`

	// Hosts are the host names of the admin listener, without a port. A request
	// without a token is served only if its Host is one of these, localhost or an IP
	// address, so that no web page can reach the listener by DNS rebinding. Default
	// none.
	Hosts []string `yaml:"hosts" check:"hostname"`
}

// tokens checks the secrets of both listeners.
func (f *faults) tokens(a Admin, tester Secret) {
	isSame := func(x, y Secret) bool { return x.Reveal() != "" && x.Equal(y) }
	f.check(!isSame(a.PurgeToken, a.Token) && !isSame(a.PurgeToken, tester), "admin.purge_token",
		"must differ from admin.token and staging.tester_token, which have other privileges")
	f.check(!isSame(tester, a.Token), "staging.tester_token",
		"must differ from admin.token, which has more privileges and is for another listener")
}

func (f *faults) adminListen(addr string, token bool) {
	host, _, err := net.SplitHostPort(addr)
	f.check(err != nil || token || isLoopback(host), "admin_listen",
		"%q is not a loopback address, which requires an admin.token", addr)
}
