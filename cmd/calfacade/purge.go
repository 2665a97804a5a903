package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"time"
)

// purgeRequest is the body of POST /purge.
type purgeRequest struct {
	Tags     []string `json:"tags,omitempty"`
	Type     string   `json:"type,omitempty"`
	ID       int64    `json:"id,omitempty"`
	Language string   `json:"language,omitempty"`
	All      bool     `json:"all,omitempty"`
	Soft     bool     `json:"soft,omitempty"`
}

// purge has a facade that is running end answers of its cache, and with Redis
// those of all copies.
func purge(ctx context.Context, p process) error {
	var file string
	var body purgeRequest
	if _, err := p.flags("purge", 0, func(f *flag.FlagSet) {
		f.StringVar(&file, "config", "", "`FILE` of the configuration that the facade runs with")
		f.BoolVar(&body.All, "all", false, "end all answers")
		f.Func("tag", "end what has this `TAG`, such as es:events:12; any number of times", func(tag string) error {
			body.Tags = append(body.Tags, tag)
			return nil
		})
		f.StringVar(&body.Type, "type", "", "end what shows, lists or counts this `KIND` of item: event, venue, ...")
		f.Int64Var(&body.ID, "id", 0, "`ID` of the item")
		f.StringVar(&body.Language, "language", "", "`CODE` of the item's language; none is all languages")
		f.BoolVar(&body.Soft, "soft", false, "what is ended may be given once more, while it is made anew")
	}); err != nil {
		return err
	}
	if err := body.check(); err != nil {
		return usageError{err}
	}
	config, err := p.config(file)
	if err != nil {
		return err
	}
	purged, err := body.send(ctx, config)
	if err != nil {
		return err
	}
	for _, tag := range purged {
		if _, err := fmt.Fprintln(p.stdout, tag); err != nil {
			return err
		}
	}
	return nil
}

// check finds what is missing or too much; what is wrong with a value the facade
// tells.
func (r purgeRequest) check() error {
	item := r.Type != "" || r.ID != 0 || r.Language != ""
	switch {
	case r.All && (item || r.Tags != nil) || item && r.Tags != nil || !r.All && !item && r.Tags == nil:
		return errors.New("want exactly one of --all, --tag and --type with --id")
	case item && (r.Type == "" || r.ID <= 0):
		return errors.New("want --type and an --id above 0 together")
	}
	return nil
}

// send calls the admin listener and gives what it purged.
func (r purgeRequest) send(ctx context.Context, config Config) ([]string, error) {
	known := r.Language == ""
	for _, l := range config.Languages {
		known = known || l.Code == r.Language
	}
	token := config.Admin.Token.show()
	switch {
	case !known: // to the facade this means all of them, but here it is a typo
		return nil, fmt.Errorf("%q is not one of the configured languages", r.Language)
	case config.AdminListen == "":
		return nil, errors.New("admin_listen is empty: there is nobody to tell")
	case token == "":
		return nil, errors.New("admin.token is empty: purging by HTTP is off")
	}
	body, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, adminURL(config.AdminListen)+"/purge", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer "+token)
	return answered(request)
}

// maxAnswer is how many bytes of an answer are read: far more than a purge has.
const maxAnswer = 8 << 20

// answered sends the request straight to the listener, by way of no proxy and no
// redirect: neither should get the token.
func answered(r *http.Request) ([]string, error) {
	transport := &http.Transport{DisableKeepAlives: true}
	client := http.Client{
		Transport:     transport,
		Timeout:       10 * time.Second,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	response, err := client.Do(r)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	data, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return nil, fmt.Errorf("reading the answer: %w", err)
	}
	var told struct {
		Purged        []string
		Code, Message string
	}
	err = json.Unmarshal(data, &told)
	switch {
	case response.StatusCode == http.StatusOK && err == nil && told.Purged != nil:
		return told.Purged, nil
	case err != nil || told.Message == "":
		return nil, fmt.Errorf("%s answered with status %d: is it the admin listener of a calfacade?", r.URL.Host, response.StatusCode)
	}
	return nil, fmt.Errorf("refused with status %d (%s): %s", response.StatusCode, told.Code, told.Message)
}

// adminURL is where this machine reaches a valid admin_listen: every interface is
// loopback too.
func adminURL(address string) string {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		panic("BUG: the address was validated: " + err.Error())
	}
	ip, err := netip.ParseAddr(host)
	switch {
	case host == "" || err == nil && ip == netip.IPv4Unspecified():
		host = "127.0.0.1"
	case err == nil && ip == netip.IPv6Unspecified():
		host = "::1"
	}
	return "http://" + net.JoinHostPort(host, port)
}
