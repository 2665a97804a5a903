package config

import (
	"fmt"
	"io"

	"go.yaml.in/yaml/v3"
)

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
func (s Secret) Equal(other Secret) bool { return s.Reveal() == other.Reveal() }

// String implements [fmt.Stringer].
func (s Secret) String() string {
	if s.text == nil {
		return ""
	}
	return hidden
}

// Format implements [fmt.Formatter], for every verb.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, s.String()) }

// MarshalText implements [encoding.TextMarshaler], and so JSON.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// MarshalYAML implements [yaml.Marshaler].
func (s Secret) MarshalYAML() (any, error) { return s.String(), nil }

// UnmarshalYAML accepts any scalar as a text. Its errors quote nothing, unlike yaml's
// own.
func (s *Secret) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind != yaml.ScalarNode {
		return typeError(n, "expected a text")
	}
	*s = NewSecret(n.Value)
	return nil
}

// Secrets is a list of secrets. A single text is a list of one, and "" an empty list.
type Secrets []Secret

// UnmarshalYAML implements [yaml.Unmarshaler].
func (s *Secrets) UnmarshalYAML(n *yaml.Node) error {
	list := []*yaml.Node{n}
	if n.Kind == yaml.SequenceNode {
		list = n.Content
	}
	var texts []string
	for _, item := range list {
		if item.Kind == yaml.AliasNode {
			item = item.Alias
		}
		if item.Kind != yaml.ScalarNode {
			return typeError(item, "expected a text or a list of texts")
		}
		texts = append(texts, item.Value)
	}
	*s = NewSecrets(texts)
	return nil
}

// NewSecrets returns the secrets of texts; of a single empty text none.
func NewSecrets(texts []string) Secrets {
	if len(texts) == 1 && texts[0] == "" {
		return nil
	}
	var all Secrets
	for _, t := range texts {
		all = append(all, NewSecret(t))
	}
	return all
}

// Reveal returns the texts, which must not be printed.
func (s Secrets) Reveal() []string {
	var texts []string
	for _, secret := range s {
		texts = append(texts, secret.Reveal())
	}
	return texts
}
