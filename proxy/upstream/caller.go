package upstream

import "net/url"

// Caller calls a backend. It is safe for concurrent use.
type Caller struct {
	options Options
	hosts   *Hosts
	using   []*host
	roots   map[string]*root // by URL
	order   []*root
}

// New returns a client of the REST roots of a backend. Roots may have the same
// URL: the first names it.
func New(backend string, o Options, roots []Root, hosts *Hosts) *Caller {
	o = o.withDefaults()
	u := &Caller{options: o, hosts: hosts, roots: map[string]*root{}}
	for _, r := range roots {
		if r.URL == "" || u.roots[r.URL] != nil {
			continue
		}
		root := hosts.root(u.host(backend, hostOf(r.URL)), r.Name, r.URL, o)
		u.roots[r.URL] = root
		u.order = append(u.order, root)
	}
	return u
}

// host returns the client of a host.
func (u *Caller) host(backend, name string) *host {
	for _, h := range u.using {
		if h.name == name {
			return h
		}
	}
	h := u.hosts.acquire(backend, name, u.options)
	u.using = append(u.using, h)
	return h
}

func hostOf(root string) string {
	u, err := url.Parse(root)
	if err != nil {
		return root
	}
	return u.Host
}

// Close releases the clients of hosts. Calls in flight continue.
func (u *Caller) Close() {
	for _, h := range u.using {
		u.hosts.release(h)
	}
}
