package config

import (
	"fmt"
	"io"

	"github.com/calfacade/calfacade/proxy/edge"
)

// TLS enables TLS on [Config.Listen]. The facade reloads the files when they change,
// without closing connections. Both files are required together.
type TLS struct {
	// CertFile is a PEM file: the certificate of the server, followed by its
	// issuers. Default empty: no TLS.
	CertFile string `yaml:"cert_file" file:"yes" restart:"yes"`

	// KeyFile is a PEM file with the private key. Only the user of the process should
	// be able to read it. Default empty.
	KeyFile string `yaml:"key_file" file:"yes" restart:"yes"`
}

// RateLimit limits the requests of one client: an IPv4 address, or an IPv6 /64
// network. Requests beyond a limit get a 429.
type RateLimit struct {
	// Reads limits read requests. 600/1m allows 600 requests at once, and 600 more
	// spread evenly over each minute. Default empty.
	Reads edge.Quota `yaml:"reads"`

	// Writes limits requests by POST, PUT, PATCH, DELETE and unknown methods.
	// Default empty.
	Writes edge.Quota `yaml:"writes"`

	// FailedSignIns limits how often the site may reject the credentials of a
	// client, or the password that it sends for an item. Beyond it, all requests of
	// the client with credentials get a 429, but for one each time that a part of the
	// window has passed: two seconds by default. Default 30/1m; empty disables the
	// limit.
	FailedSignIns edge.Quota `yaml:"failed_sign_ins" default:"30/1m"`
}

// Secret is a text that only Reveal returns: it prints, logs and marshals as ***, or as
// nothing if it is empty. The text is behind a pointer because package fmt ignores the
// methods of values in unexported fields, and then prints the address.
type Secret struct{ text *string }

// hidden replaces a secret.
const hidden = "***"

// NewSecret returns the secret of a text.
func NewSecret(text string) Secret {
	if text == "" {
		return Secret{}
	}
	return Secret{&text}
}

// Reveal returns the text, which must not be printed.
func (s Secret) Reveal() string {
	if s.text == nil {
		return ""
	}
	return *s.text
}

// Equal compares the texts.
func (s Secret) Equal(x Secret) bool { return s.Reveal() == x.Reveal() }

// String implements [fmt.Stringer].
func (s Secret) String() string {
	if s.text == nil {
		return ""
	}
	return hidden
}

// Format implements [fmt.Formatter], for every verb.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, s.String()) }

// MarshalText implements [encoding.TextMarshaler], for JSON and YAML.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (s *Secret) UnmarshalText(text []byte) error {
	*s = NewSecret(string(text))
	return nil
}

// Secrets is a list of secrets. A single text is a list of one, and "" an empty list.
type Secrets []Secret

// NewSecrets returns the secrets of texts; nil for a single empty text.
func NewSecrets(texts []string) Secrets {
	if len(texts) == 1 && texts[0] == "" {
		return nil
	}
	var secrets Secrets
	for _, t := range texts {
		secrets = append(secrets, NewSecret(t))
	}
	return secrets
}

// Reveal returns the texts, which must not be printed.
func (s Secrets) Reveal() []string {
	var texts []string
	for _, secret := range s {
		texts = append(texts, secret.Reveal())
	}
	return texts
}
