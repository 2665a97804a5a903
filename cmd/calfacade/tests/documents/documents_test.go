package documents_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
)

// documents returns all Markdown files of the project, by their path from its root.
func documents(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md"} {
		names, err := fs.Glob(os.DirFS(processtest.Repository), pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			texts[name] = processtest.ReadFile(t, filepath.Join(processtest.Repository, name))
		}
	}
	if texts["README.md"] == "" || len(texts) < 10 {
		t.Fatalf("only %d documents found", len(texts))
	}
	return texts
}
