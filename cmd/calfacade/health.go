package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/cmd/calfacade/internal/terminal"
)

func healthCommand(p process) *cobra.Command {
	var file, url string
	c := &cobra.Command{
		Use:     "health",
		Short:   "Ask a running instance whether it is ready, for container health checks",
		GroupID: groupInstance,
		Long: `Requests /readyz of the admin listener, and prints a line. It reads nothing but admin_listen from
the configuration, so that a faulty change to the file does not make a healthy instance look ill.
Without --config and --url the listener is CALFACADE_ADMIN_LISTEN, or else the default. It needs no
shell, and no token.

Exit status: 0 if it is ready; 1 if it is not, or does not respond within 5 s; 2 if the arguments
are wrong.`,
		Example: `calfacade health
calfacade health --config /etc/calfacade/config.yaml
calfacade health --url http://10.0.0.7:9090`,
		Args: exactly(0),
		RunE: func(c *cobra.Command, _ []string) error { return p.health(c.Context(), file, url) },
	}
	configFlag(p, c, &file, " of the running instance")
	c.Flags().StringVar(&url, "url", "", "`URL` of the admin listener, or unix:PATH of its socket")
	return c
}

// unixScheme begins the URL of a Unix socket, as systemd may open for the admin listener.
const unixScheme = "unix:"

func (p process) health(ctx context.Context, file, url string) error {
	transport := &http.Transport{DisableKeepAlives: true}
	if socket, ok := strings.CutPrefix(url, unixScheme); ok {
		url = "http://localhost"
		transport.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", socket)
		}
	}
	if url == "" {
		address, err := p.adminListener(file)
		if err != nil {
			return err
		}
		url = adminURL(address)
	}
	url = strings.TrimSuffix(url, "/")
	reason := config.URLProblem(url)
	if reason != "" {
		return usageError(fmt.Errorf("--url %s", reason))
	}
	url += "/readyz"
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return usageError(err)
	}
	response, err := transport.RoundTrip(r) // follows no redirect
	if err != nil {
		return fmt.Errorf("%s does not respond: %w", url, err)
	}
	defer response.Body.Close()
	text, _ := io.ReadAll(io.LimitReader(response.Body, 200)) // the status decides
	line := terminal.Escape(strings.TrimSpace(string(text)))
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s returned status %d: %s", url, response.StatusCode, line)
	}
	_, err = fmt.Fprintf(p.stdout, "%s: %s\n", url, line)
	return err
}

// adminListener returns admin_listen of a file, or without a file of the environment and the defaults.
func (p process) adminListener(file string) (address string, err error) {
	var data []byte
	switch file {
	case "":
	case standardInput:
		data, err = io.ReadAll(p.stdin)
	default:
		data, err = os.ReadFile(file)
	}
	if err != nil {
		return "", fmt.Errorf("reading the configuration: %w", err)
	}
	if address, err = config.AdminListener(data, p.env); err == nil && address == "" {
		err = errors.New("admin_listen is empty: the instance has no admin listener; name one that answers /readyz with --url")
	}
	return address, err
}
