package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/cmd/calfacade/internal/terminal"
)

// healthOptions are the flags of "calfacade health".
type healthOptions struct {
	config, url string
	live        bool
	timeout     time.Duration
}

func healthCommand(p process) *cobra.Command {
	var o healthOptions
	c := &cobra.Command{
		Use:     "health",
		Short:   "Ask a running instance whether it is ready, for container health checks",
		GroupID: groupInstance,
		Long: `Requests /readyz of the admin listener, and prints a line. It reads nothing but admin_listen from
the configuration, so that a faulty change to the file does not make a healthy instance look ill.
Without --config and --url the listener is CALFACADE_ADMIN_LISTEN, or else the default. It needs no
shell, and no token.

Exit status: 0 if it is ready; 1 if it is not, or does not respond; 2 if the arguments are wrong.`,
		Example: `calfacade health
calfacade health --config /etc/calfacade/config.yaml
calfacade health --url http://10.0.0.7:9090 --live`,
		Args: exactly(0),
		RunE: func(c *cobra.Command, _ []string) error { return p.health(c.Context(), o) },
	}
	configFlag(p, c, &o.config, " of the running instance")
	c.Flags().StringVar(&o.url, "url", "", "`URL` of the admin listener, unix:PATH of its socket, or the URL of another page")
	c.Flags().BoolVar(&o.live, "live", false, "request /livez, which responds during a shutdown too")
	c.Flags().DurationVar(&o.timeout, "timeout", 5*time.Second, "maximum `TIME` for the response")
	return c
}

// unixScheme begins the URL of a Unix socket, as systemd may open for the admin listener.
const unixScheme = "unix:"

// maxHealth bounds the part that is read of a response, in bytes.
const maxHealth = 200

func (p process) health(ctx context.Context, o healthOptions) error {
	transport := &http.Transport{DisableKeepAlives: true}
	target, err := o.target(p)
	if err != nil {
		return err
	}
	name := target
	if socket, ok := strings.CutPrefix(o.url, unixScheme); ok {
		name = o.url
		transport.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", socket)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, o.timeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, target, nil)
	if err != nil {
		return usageError(err)
	}
	response, err := transport.RoundTrip(r) // follows no redirect
	if err != nil {
		return fmt.Errorf("%s does not respond: %w", name, err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxHealth))
	if err != nil {
		return fmt.Errorf("reading the response: %w", err)
	}
	line := terminal.Escape(strings.TrimSpace(string(text)))
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s returned status %d: %s", name, response.StatusCode, line)
	}
	_, err = fmt.Fprintf(p.stdout, "%s: %s\n", name, line)
	return err
}

// target returns the URL to request.
func (o healthOptions) target(p process) (string, error) {
	path := "/readyz"
	if o.live {
		path = "/livez"
	}
	if strings.HasPrefix(o.url, unixScheme) {
		return "http://localhost" + path, nil
	}
	if o.url != "" {
		if reason := config.URLProblem(strings.TrimSuffix(o.url, "/")); reason != "" {
			return "", usageError(fmt.Errorf("--url %s", reason))
		}
		u, err := url.Parse(o.url)
		if err != nil {
			return "", usageError(err)
		}
		if strings.Trim(u.Path, "/") == "" {
			u.Path = path
		}
		return u.String(), nil
	}
	address, err := o.listener(p)
	switch {
	case err != nil:
		return "", err
	case address == "":
		return "", errors.New("admin_listen is empty: the instance has no admin listener; request another page with --url")
	}
	return adminURL(address) + path, nil
}

func (o healthOptions) listener(p process) (string, error) {
	var data []byte
	var err error
	switch o.config {
	case "":
	case standardInput:
		data, err = io.ReadAll(p.stdin)
	default:
		data, err = os.ReadFile(o.config)
	}
	if err != nil {
		return "", fmt.Errorf("reading the configuration: %w", err)
	}
	return config.AdminListener(data, p.env)
}
