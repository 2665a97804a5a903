package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/cmd/calfacade/internal/terminal"
	"github.com/calfacade/calfacade/proxy/probe"
	"github.com/calfacade/calfacade/proxy/upstream"
)

func initCommand(p process) *cobra.Command {
	var out, publicURL string
	c := &cobra.Command{
		Use:     "init URL",
		Short:   "Write the configuration for a site",
		GroupID: groupServe,
		Long: `Reads the start page of a WordPress site and its translations, finds the REST root of each language
and what selects the language, writes a configuration, and checks it as "calfacade check" does. It makes
anonymous GET requests, or if the web server of the site requires HTTP Basic authentication, with the
user:password in CALFACADE_UPSTREAM_BASIC_AUTH.

Exit status: 0 on success; 1 if nothing was written, or if the check found a problem; 2 if the
arguments are wrong.`,
		Example: `calfacade init https://www.example.org
calfacade init https://www.example.org --public-url https://api.example.org --out /etc/calfacade/config.yaml`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usageError(errNoURL)
			}
			return exactly(1)(c, args)
		},
		RunE: func(c *cobra.Command, args []string) error {
			return initialize(c.Context(), p, args[0], publicURL, out)
		},
	}
	c.Flags().StringVar(&out, "out", localConfig, "`FILE` to write, which must not exist; - is standard output")
	c.Flags().StringVar(&publicURL, "public-url", "http://"+config.Default().Listen, "`URL` of the facade for its clients")
	return c
}

// maxInit is how long a site may take to respond to everything that init asks.
const maxInit = 2 * time.Minute

// maxRounds is the number of checks that may complete the configuration, for example by one more cookie.
const maxRounds = 5

func initialize(ctx context.Context, p process, site, publicURL, out string) error {
	site, err := siteURL(site)
	if err != nil {
		return usageError(err)
	}
	if _, err := os.Stat(out); err == nil && out != standardOutput {
		return fmt.Errorf("%s exists: name another file with --out, or remove it", out)
	}
	ctx, cancel := context.WithTimeout(ctx, maxInit)
	defer cancel()
	final, report, err := p.configure(ctx, site, publicURL)
	if err != nil {
		return err
	}
	if out == standardOutput {
		if _, err := io.WriteString(p.stdout, final.String()); err != nil {
			return err
		}
		return report.verdict()
	}
	if err := writeNew(out, final.String()); err != nil {
		return err
	}
	verdict := report.verdict()
	err = report.print(terminal.Writer{Writer: p.stdout})
	switch {
	case err != nil:
	case verdict != nil:
		_, err = fmt.Fprintf(p.stdout, "\nwrote %s; solve the problems above, then: calfacade check --config %s\n", out, out)
	default:
		_, err = fmt.Fprintf(p.stdout, "\nwrote %s; start the facade with: calfacade serve --config %s\n", out, out)
	}
	return cmp.Or(err, verdict)
}

var errNoURL = errors.New("want the URL of a site, such as https://www.example.org")

// siteURL returns the URL that an argument means.
func siteURL(argument string) (string, error) {
	if !strings.Contains(argument, "://") {
		argument = "https://" + argument
	}
	u, err := url.Parse(argument)
	bareURL := upstream.BareURL(argument)
	switch {
	case err != nil || u.Hostname() == "":
		return "", errNoURL
	case u.Scheme != "http" && u.Scheme != "https":
		return "", fmt.Errorf("%s: want a URL with http or https, such as https://%s", bareURL, u.Host)
	case u.User != nil:
		return "", fmt.Errorf("credentials in the URL are visible to other users of this machine: give %s, and set %s to USER:PASSWORD",
			bareURL, config.Variable("upstream.basic_auth"))
	}
	return argument, nil
}

// configure returns the configuration for a site, and the report of a check.
func (p process) configure(ctx context.Context, site, publicURL string) (*draft, checkReport, error) {
	access, notes, err := p.access()
	if err != nil {
		return nil, checkReport{}, err
	}
	progress := terminal.Writer{Writer: p.stderr}
	discovered, err := probe.Discover(ctx, probe.SiteOptions{URL: site, Access: access, Progress: func(url string) {
		_, _ = fmt.Fprintln(progress, "reading", url)
	}})
	if err != nil {
		return nil, checkReport{}, err
	}
	final := newDraft(site, publicURL, discovered)
	final.Notes = append(final.Notes, notes...)
	_, _ = fmt.Fprintln(progress, "checking", english.WordSeries(final.Languages.Codes(), "and"))
	report, err := p.examineText(ctx, final.String())
	if err != nil {
		return nil, report, err
	}
	for range maxRounds {
		next := final.withSettings(report.Roots)
		if next.String() == final.String() {
			break
		}
		settled, err := p.examineText(ctx, next.String())
		if err != nil { // the site has a value that no key may have
			final.Notes = append(final.Notes, "not settled: "+err.Error())
			break
		}
		final, report = next, settled
	}
	problems, remarks := report.lines()
	for _, line := range slices.Concat(problems, remarks) {
		final.Notes = append(final.Notes, line.String())
	}
	return final, report, nil
}

// access returns how the environment lets the site be reached, and notes about the variables with credentials.
func (p process) access() (access upstream.AccessOptions, notes []string, err error) {
	const site = "{public_url: 'https://public.invalid', languages: [{code: en, upstream: 'https://site.invalid/wp-json'}]}"
	cfg, err := config.Parse("the environment", []byte(site), p.env)
	if err != nil {
		return access, nil, err
	}
	for _, key := range []string{"upstream.basic_auth", "upstream.headers"} {
		name := config.Variable(key)
		for _, variable := range p.env {
			set, _, _ := strings.Cut(variable, "=")
			if set == name || set == name+"_FILE" {
				notes = append(notes, set+" has the credentials of the site.")
			}
		}
	}
	return upstream.AccessOptions{Host: cfg.Upstream.Host, CAs: cfg.Upstream.CAs, Header: cfg.Upstream.Header()}, notes, nil
}

// standardOutput is the FILE of --out for standard output.
const standardOutput = "-"

// writeNew writes a file that must not exist.
func writeNew(name, text string) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) // the file may get secrets
	if err != nil {
		return err
	}
	_, err = io.WriteString(f, text)
	return errors.Join(err, f.Close())
}

// examineText checks a configuration.
func (p process) examineText(ctx context.Context, text string) (checkReport, error) {
	p.stdin = strings.NewReader(text)
	return p.examine(ctx, standardInput, "")
}
