package mapping

// Texts are the texts of one language.
type Texts interface {
	// Text returns the text of a key, its placeholders filled from args.
	Text(key string, args map[string]string) string
	// Join lists items in words: "en, fr, de, and es".
	Join(items []string) string
}
