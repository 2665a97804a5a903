package config

import (
	"fmt"
	"io"

	"go.yaml.in/yaml/v3"
)

// Secret is a text that only Reveal returns: printed, logged or marshalled it is ***,
// and nothing if it is empty. It is behind a pointer because package fmt ignores
// the methods of what stands in a field that is not exported, and prints the
// address then.
type Secret struct{ text *string }

// hidden is what stands in the place of a secret.
const hidden = "***"

func NewSecret(text string) Secret {
	if text == "" {
		return Secret{}
	}
	return Secret{&text}
}

// Show gives the text. It must not be printed.
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

// UnmarshalYAML takes any scalar as the text it is. Its errors quote nothing,
// unlike yaml's own.
func (s *Secret) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind != yaml.ScalarNode {
		return typeError(n, "a text is wanted here")
	}
	*s = NewSecret(n.Value)
	return nil
}

// Secrets is a list of secrets; a text alone is a list of one, and "" of none.
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
			return typeError(item, "a text or a list of texts is wanted here")
		}
		texts = append(texts, item.Value)
	}
	*s = NewSecrets(texts)
	return nil
}

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

// Show gives the texts. They must not be printed.
func (s Secrets) Reveal() []string {
	var texts []string
	for _, secret := range s {
		texts = append(texts, secret.Reveal())
	}
	return texts
}
