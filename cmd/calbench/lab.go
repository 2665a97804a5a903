package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

// lab holds the servers that are measured.
type lab struct {
	settings  settings
	machine   *machine
	servers   map[string]*server
	failed    map[string]error  // servers that did not start, or whose cache did not fill
	missing   []string          // programs that are not installed
	tags      map[string]string // the facade's ETag, by body
	bareFlags []string          // name files with responses of the facade
	sizes     map[string]int    // bytes of the facade's response, by body
	looksAt   string            // URL of the Redis of the facades that look
	eventID   string            // of the single
	scripts   int               // written so far
	rounds    int               // run so far: numbers of new requests begin elsewhere each time
}

func (b *lab) role(ctx context.Context, name string, args ...string) {
	s, err := b.machine.role(ctx, args...)
	b.add(name, s, err)
}

// add adds a server, or the reason why it did not start.
func (b *lab) add(name string, s *server, err error) {
	if err != nil {
		b.fail(name, err)
		return
	}
	b.servers[name] = s
}

func (b *lab) fail(name string, err error) {
	delete(b.servers, name)
	b.failed[name] = err
}

// get sends one request, as a client that accepts these codings.
func get(url string, accept ...string) (http.Header, []byte, error) {
	r, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		return nil, nil, err
	}
	r.Header["Accept-Encoding"] = accept
	res, err := httpClient.Do(r)
	if err != nil {
		return nil, nil, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: status %d: %.200s", url, res.StatusCode, body)
	}
	return res.Header, body, err
}

// httpClient accepts the certificate of certificate.go, which nobody signed.
var httpClient = &http.Client{
	Transport: &http.Transport{DisableCompression: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}},
	Timeout:   10 * time.Second,
}

// delay makes the origin take d for each response.
func (b *lab) delay(d time.Duration) error {
	_, _, err := get(b.servers["origin"].url + delayPath + "?" + d.String())
	return err
}

// answered returns the number of requests that the origin has answered so far.
func (b *lab) answered() (n int, err error) {
	_, body, err := get(b.servers["origin"].url + countPath)
	if err == nil {
		n, err = strconv.Atoi(string(body))
	}
	return n, err
}
