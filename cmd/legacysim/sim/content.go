package sim

import (
	"html"
	"regexp"
	"strings"
)

var (
	plainText  = strings.NewReplacer("&#8220;", `"`, "&#8221;", `"`, "</p>\n<p>", " ", "\n", " ")
	blankLines = regexp.MustCompile(`\n\s*\n`)
	blockOpens = regexp.MustCompile(`(?i)\s*<(p|h[1-6]|ul|ol|table|div|pre|blockquote)\b`)
	blockEnds  = regexp.MustCompile(`(?i)</(p|h[1-6]|ul|ol|table|div|pre|blockquote)>\s*`)
	// blockRemark is the comment around blocks of the editor of WordPress, and
	// bareURL a line that it may embed.
	blockRemark = regexp.MustCompile(`<!-- /?wp:.*?-->`)
	bareURL     = regexp.MustCompile(`(?m)^\s*https?://[^\s<>"]+\s*$`)
	blockTag    = regexp.MustCompile(`(?i)^<(p|h[1-6]|ul|ol|li|table|tr|td|div|pre|blockquote|figure|section)\b`)
)

// content is what the_content does to a description or excerpt: paragraphs
// around what is in none, then typography.
func content(s string, lang *language) string {
	if strings.TrimSpace(s) == "" {
		return ""
	}
	s = blockRemark.ReplaceAllString(s, "")
	s = bareURL.ReplaceAllStringFunc(s, func(url string) string { return strings.ReplaceAll(url, "&amp;", "&") })
	s = blockOpens.ReplaceAllString(blockEnds.ReplaceAllString(s, "</$1>\n\n"), "\n\n<$1")
	parts := blankLines.Split(strings.Trim(s, "\r\n"), -1)
	for i, part := range parts {
		if !blockTag.MatchString(part) {
			parts[i] = "<p>" + strings.ReplaceAll(part, "\n", "<br />\n") + "</p>"
		}
	}
	return texturize(strings.Join(parts, "\n"), lang)
}

// ldDescription is the description inside json_ld: escaped, and for some
// reason ending in a backslash and an n.
func ldDescription(rendered string) string {
	if rendered == "" {
		return ""
	}
	plain := plainText.Replace(rendered)
	return strings.ReplaceAll(html.EscapeString(plain), "&#34;", "&quot;") + `\n`
}
