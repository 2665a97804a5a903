package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/proxy/admin"
)

// maxResponse bounds the part that is read of a response of the admin listener, in bytes.
const maxResponse = 8 << 20

// callAdmin calls the admin listener of the instance that runs with a configuration. The request carries body
// as JSON, nil sends an empty body, and the response is decoded into result; valid reports whether result is
// the expected object.
func callAdmin(ctx context.Context, cfg config.Config, method, path string, body, result any, valid func() bool) error {
	token := cfg.Admin.Token.Reveal()
	switch {
	case cfg.AdminListen == "":
		return errors.New("admin_listen is empty: the instance has no admin listener")
	case token == "":
		return errors.New("admin.token is empty: the admin listener accepts no requests")
	}
	var payload io.Reader
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			return err
		}
		payload = bytes.NewReader(data)
	}
	r, err := http.NewRequestWithContext(ctx, method, adminURL(cfg.AdminListen)+path, payload)
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+token)
	return sendAdmin(r, result, valid)
}

// sendAdmin sends the request directly to the listener. The client uses no proxy and follows no redirect,
// since neither may receive the token.
func sendAdmin(r *http.Request, result any, valid func() bool) error {
	timeout := 10 * time.Second
	if r.Method == http.MethodPost {
		timeout = admin.ChangeTimeout
	}
	client := http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true},
		Timeout:       timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	response, err := client.Do(r)
	failed, ok := errors.AsType[*url.Error](err)
	dial, isOp := errors.AsType[*net.OpError](err)
	if ok && r.Method == http.MethodPost && !(isOp && dial.Op == "dial") {
		return fmt.Errorf("the admin listener %s sent no response: %w: the request may have been carried out, so look before you "+
			"repeat it", r.URL.Host, failed.Err)
	}
	if ok {
		return fmt.Errorf("the admin listener %s does not respond: %w: is calfacade running with this configuration?", r.URL.Host,
			failed.Err)
	}
	if err != nil {
		return err
	}
	defer response.Body.Close()
	data, err := io.ReadAll(io.LimitReader(response.Body, maxResponse))
	if err != nil {
		return fmt.Errorf("reading the response: %w", err)
	}
	done := response.StatusCode == http.StatusOK || response.StatusCode == http.StatusAccepted
	if done && json.Unmarshal(data, result) == nil && valid() {
		return nil
	}
	var refusal struct{ Code, Message string }
	if json.Unmarshal(data, &refusal) != nil || refusal.Message == "" {
		return fmt.Errorf("%s returned status %d: is it the admin listener of calfacade?", r.URL.Host, response.StatusCode)
	}
	return fmt.Errorf("refused with status %d (%s): %s", response.StatusCode, refusal.Code, refusal.Message)
}

// adminURL returns the URL by which this machine reaches a valid admin_listen: a
// listener on every interface is on loopback too.
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
