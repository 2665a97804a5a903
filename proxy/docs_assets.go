package proxy

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"sync"

	"github.com/calfacade/calfacade/proxy/problem"
	"github.com/klauspost/compress/gzip"
)

// The page is Swagger UI: it makes calls, is dark where the system is, and works
// under a policy without inline scripts and eval, for 0.5 MB. CONTRIBUTING.md has
// what spoke against others.
//
//go:embed docs/page.css docs/page.js docs/swagger-ui/*.gz docs/swagger-ui/*LICENSE* docs/swagger-ui/NOTICE
var docsAssetFiles embed.FS

// assets are the files of the page by name. Their version is part of their path,
// so that browsers may keep them for good.
type assets struct {
	version string
	files   map[string]asset
}

type asset struct {
	kind  string
	plain func() []byte
	gzip  []byte // nil for small ones
}

var assetKinds = map[string]string{
	".css": "text/css; charset=utf-8",
	".js":  "text/javascript; charset=utf-8",
	"":     "text/plain; charset=utf-8",
	".txt": "text/plain; charset=utf-8",
}

var docsAssets = sync.OnceValue(func() assets {
	all := assets{files: map[string]asset{}}
	sum := sha256.New()
	err := fs.WalkDir(docsAssetFiles, ".", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := docsAssetFiles.ReadFile(file)
		if err != nil {
			return err
		}
		_, _ = sum.Write(data) // a hash does not fail
		name, compressed := strings.CutSuffix(path.Base(file), ".gz")
		a := asset{kind: assetKinds[path.Ext(name)], plain: func() []byte { return data }}
		if compressed {
			a.gzip, a.plain = data, sync.OnceValue(func() []byte { return decompress(data) })
		}
		all.files[name] = a
		return nil
	})
	if err != nil {
		panic("BUG: an embedded file: " + err.Error())
	}
	all.version = hex.EncodeToString(sum.Sum(nil)[:6])
	return all
})

func decompress(data []byte) []byte {
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		panic("BUG: an embedded file: " + err.Error())
	}
	plain, err := io.ReadAll(z)
	if err != nil {
		panic("BUG: an embedded file: " + err.Error())
	}
	return plain
}

// asset answers with a file of the page, named by version and name. A version
// that is not this one's is no file.
func (x *exchange) asset(file string) error {
	version, name, _ := strings.Cut(file, "/")
	all := docsAssets()
	a, known := all.files[name]
	if !known || version != all.version {
		return problem.NoRoute()
	}
	out := x.out.Header()
	out["Content-Type"] = []string{a.kind}
	out["Cache-Control"] = []string{"public, max-age=31536000, immutable"}
	out["Cross-Origin-Resource-Policy"] = []string{"same-origin"}
	out["X-Content-Type-Options"] = nosniff
	out["X-Robots-Tag"] = noindex
	x.edge.fields(x)
	if a.gzip == nil {
		x.write(http.StatusOK, a.plain())
		return nil
	}
	out["Vary"] = x.edge.varying("Accept-Encoding")
	if acceptsGzip(x.in.Header["Accept-Encoding"]) {
		out["Content-Encoding"] = gzipCoding
		x.write(http.StatusOK, a.gzip)
		return nil
	}
	x.write(http.StatusOK, a.plain())
	return nil
}
