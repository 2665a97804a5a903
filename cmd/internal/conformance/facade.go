package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/calfacade/calfacade/mapping"
)

// configuration returns that of a facade in front of site.
//
// The tests make the site fail, one of them while the next ones run: the circuit breaker,
// which is not about caching, stays closed.
func configuration(listen, site, cache string) string {
	return fmt.Sprintf(`listen: %s
admin_listen: ""
public_url: http://%[1]s
languages:
  - {code: en, root: /wp-json, upstream: "%s/wp-json"}
upstream:
  breaker: {percent: 0}
  max_retry_after: 0s
cache: %s
log: {level: error, requests: none}
`, listen, site, cache)
}

// build compiles calfacade.
func build(ctx context.Context, dir string) (binary string, err error) {
	binary = filepath.Join(dir, "calfacade")
	out, err := exec.CommandContext(ctx, "go", "build", "-o", binary, "./cmd/calfacade").CombinedOutput() // #nosec G204 -- a directory of this program
	if err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return binary, nil
}

// start starts a facade and waits until it serves. stop ends it.
func start(ctx context.Context, binary, listen, config string) (stop func() error, err error) {
	file := binary + ".yaml"
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		return nil, err
	}
	c := exec.CommandContext(ctx, binary, "serve", "--config", file) // #nosec G204 -- built by this program
	c.Stdout, c.Stderr = os.Stderr, os.Stderr
	if err := c.Start(); err != nil {
		return nil, err
	}
	stop = func() error {
		return errors.Join(c.Process.Signal(syscall.SIGTERM), c.Wait())
	}
	if err := serves(ctx, "http://"+listen+"/wp-json/"+mapping.Namespace); err != nil {
		return nil, errors.Join(err, stop())
	}
	return stop, nil
}

// serves waits until a URL responds.
func serves(ctx context.Context, url string) error {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	again := time.NewTicker(50 * time.Millisecond)
	defer again.Stop()
	for {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
		if err != nil {
			return err
		}
		if res, err := http.DefaultClient.Do(r); err == nil {
			return res.Body.Close()
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s does not respond: %w", url, ctx.Err())
		case <-again.C:
		}
	}
}
