package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"io"
	"net"
	"net/http"
	"net/netip"
	"time"
)

// maxAnswer is how many bytes of an answer of the admin listener are read: far more
// than one has.
const maxAnswer = 8 << 20

// callAdmin calls the admin listener of the facade that runs with a configuration.
// body is sent as JSON, nil is none. The answer is read into told; whether it is
// one, valid reports.
func callAdmin(ctx context.Context, cfg config.Config, method, path string, body, told any, valid func() bool) error {
	token := cfg.Admin.Token.Reveal()
	switch {
	case cfg.AdminListen == "":
		return errors.New("admin_listen is empty: there is nobody to tell")
	case token == "":
		return errors.New("admin.token is empty: the admin listener takes no orders")
	}
	var sent io.Reader
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			return err
		}
		sent = bytes.NewReader(data)
	}
	r, err := http.NewRequestWithContext(ctx, method, adminURL(cfg.AdminListen)+path, sent)
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+token)
	return answered(r, told, valid)
}

// answered sends the request straight to the listener, by way of no proxy and no
// redirect: neither should get the token.
func answered(r *http.Request, told any, valid func() bool) error {
	client := http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true},
		Timeout:       10 * time.Second,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	response, err := client.Do(r)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	data, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return fmt.Errorf("reading the answer: %w", err)
	}
	if response.StatusCode == http.StatusOK && json.Unmarshal(data, told) == nil && valid() {
		return nil
	}
	var refusal struct{ Code, Message string }
	if json.Unmarshal(data, &refusal) != nil || refusal.Message == "" {
		return fmt.Errorf("%s answered with status %d: is it the admin listener of a calfacade?", r.URL.Host, response.StatusCode)
	}
	return fmt.Errorf("refused with status %d (%s): %s", response.StatusCode, refusal.Code, refusal.Message)
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
