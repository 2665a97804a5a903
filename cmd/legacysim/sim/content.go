package sim

import (
	"html"
	"regexp"
	"strings"
	"sync"
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
	return contents.get(written{s, lang.quotes}, func() string { return renderContent(s, lang) })
}

func renderContent(s string, lang *language) string {
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

// written is a text and what its typography depends on.
type written struct {
	text   string
	quotes [4]string
}

// contentCache holds what texts became: a list renders the same ones for each request. It is
// emptied when it has mostContents.
type contentCache struct {
	mu       sync.Mutex
	rendered map[written]string
}

const mostContents = 4096

var contents = contentCache{rendered: map[written]string{}}

func (c *contentCache) get(w written, render func() string) string {
	c.mu.Lock()
	s, ok := c.rendered[w]
	c.mu.Unlock()
	if ok {
		return s
	}
	s = render()
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.rendered) >= mostContents {
		clear(c.rendered)
	}
	c.rendered[w] = s
	return s
}
