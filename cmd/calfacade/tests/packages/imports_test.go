//go:build !race

package packages_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
)

const module = "github.com/calfacade/calfacade/"

// mayImport is the policy of imports: the packages that each package may use, beside the
// standard library. A package that is not listed may use nothing.
var mayImport = map[string][]string{
	"cache": {
		module + "cache/redisstore",
		"github.com/cespare/xxhash/v2",
		"github.com/maypok86/otter/v2",
		"github.com/maypok86/otter/v2/stats",
		"go.opentelemetry.io/otel/trace",
		"golang.org/x/sync/singleflight",
	},
	"cache/redisstore": {
		"github.com/redis/go-redis/v9",
		"github.com/redis/go-redis/v9/logging",
		"github.com/redis/go-redis/v9/maintnotifications",
		"golang.org/x/sync/semaphore",
	},
	"cache/redisstore/redistest": {
		module + "cache/testwait",
		"github.com/redis/go-redis/v9",
	},
	"cache/testwait": nil,
	"cmd/calbench": {
		module + "cache",
		module + "cache/redisstore",
		module + "cmd/legacysim/sim",
		module + "mapping",
		module + "proxy/proxytest",
		"github.com/julienschmidt/httprouter",
		"golang.org/x/sync/errgroup",
	},
	"cmd/calfacade": {
		module + "cmd/calfacade/internal/config",
		module + "cmd/calfacade/internal/hangup",
		module + "cmd/calfacade/internal/logging",
		module + "cmd/calfacade/internal/service",
		module + "cmd/calfacade/internal/survey",
		module + "cmd/calfacade/internal/terminal",
		module + "cmd/legacysim/sim",
		module + "i18n",
		module + "mapping",
		module + "mapping/compare",
		module + "mapping/openapi",
		module + "mapping/rewrite",
		module + "proxy",
		module + "proxy/admin",
		module + "proxy/onward",
		module + "proxy/probe",
		module + "proxy/problem",
		module + "proxy/recording",
		module + "proxy/staging",
		module + "proxy/staging/control",
		module + "proxy/staging/fleet",
		module + "proxy/telemetry",
		module + "proxy/upstream",
		"github.com/dustin/go-humanize/english",
		"github.com/go-json-experiment/json",
		"github.com/go-json-experiment/json/jsontext",
		"github.com/prometheus/client_golang/prometheus",
		"github.com/prometheus/client_golang/prometheus/promauto",
		"github.com/prometheus/client_golang/prometheus/promhttp",
		"github.com/spf13/cobra",
		"github.com/spf13/pflag",
		"go.uber.org/zap",
		"golang.org/x/crypto/x509roots/fallback",
		"golang.org/x/sync/errgroup",
	},
	"cmd/calfacade/internal/config": {
		module + "cache/redisstore",
		module + "i18n",
		module + "mapping",
		module + "mapping/compare",
		module + "mapping/siteurl",
		module + "mapping/tec",
		module + "mapping/tribe",
		module + "proxy/edge",
		module + "proxy/freshness",
		module + "proxy/legacyclients",
		module + "proxy/onward",
		module + "proxy/staging",
		module + "proxy/upstream",
		"github.com/dustin/go-humanize",
		"go.yaml.in/yaml/v3",
		"golang.org/x/net/http/httpproxy",
	},
	"cmd/calfacade/internal/hangup": nil,
	"cmd/calfacade/internal/logging": {
		module + "cmd/calfacade/internal/config",
		module + "cmd/calfacade/internal/terminal",
		module + "proxy/telemetry",
		"go.uber.org/zap",
		"go.uber.org/zap/buffer",
		"go.uber.org/zap/zapcore",
	},
	"cmd/calfacade/internal/service": {
		module + "cache",
		module + "cache/redisstore",
		module + "cmd/calfacade/internal/config",
		module + "cmd/calfacade/internal/hangup",
		module + "i18n",
		module + "mapping",
		module + "mapping/compare",
		module + "proxy",
		module + "proxy/admin",
		module + "proxy/edge",
		module + "proxy/idempotency",
		module + "proxy/lane",
		module + "proxy/onward",
		module + "proxy/probe",
		module + "proxy/secure",
		module + "proxy/staging",
		module + "proxy/staging/control",
		module + "proxy/staging/fleet",
		module + "proxy/telemetry",
		module + "proxy/upstream",
		"github.com/coreos/go-systemd/v22/activation",
		"github.com/coreos/go-systemd/v22/daemon",
		"go.opentelemetry.io/otel/attribute",
		"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp",
		"go.opentelemetry.io/otel/sdk/resource",
		"go.opentelemetry.io/otel/sdk/trace",
		"go.opentelemetry.io/otel/trace",
		"go.uber.org/zap",
		"go.uber.org/zap/zapcore",
		"golang.org/x/sync/errgroup",
		"golang.org/x/time/rate",
	},
	"cmd/calfacade/internal/service/servicetest": {
		module + "cmd/calfacade/internal/config",
		module + "cmd/calfacade/internal/service",
		module + "cmd/calfacade/processtest",
		module + "cmd/legacysim/sim",
		module + "proxy",
		module + "proxy/telemetry",
		"go.uber.org/zap",
	},
	"cmd/calfacade/internal/survey": {
		module + "cmd/calfacade/internal/terminal",
		module + "mapping",
		module + "mapping/compare",
		module + "mapping/jsonscan",
		module + "mapping/rewrite",
		module + "proxy/docs",
		module + "proxy/problem",
		module + "proxy/upstream",
		"github.com/dustin/go-humanize/english",
		"github.com/schollz/progressbar/v3",
		"golang.org/x/time/rate",
	},
	"cmd/calfacade/internal/terminal": {
		"golang.org/x/term",
	},
	"cmd/calfacade/processtest": {
		module + "cache/redisstore/redistest",
		module + "cache/testwait",
		module + "cmd/calfacade/internal/config",
		module + "cmd/calfacade/internal/survey",
		module + "cmd/legacysim/sim",
		module + "i18n",
		module + "mapping",
		module + "mapping/mappingtest",
		module + "mapping/openapi",
		module + "mapping/recordedtest",
		module + "proxy/proxytest",
		"github.com/google/go-cmp/cmp",
	},
	"cmd/legacysim": {
		module + "cmd/legacysim/sim",
	},
	"cmd/legacysim/sim": {
		module + "i18n",
		module + "mapping",
		module + "mapping/dates",
		"github.com/go-json-experiment/json",
		"github.com/go-json-experiment/json/jsontext",
		"go.yaml.in/yaml/v3",
	},
	"docs/lint": {
		module + "i18n",
		module + "mapping",
		module + "mapping/openapi",
		"go.yaml.in/yaml/v3",
	},
	"i18n": {
		"github.com/nicksnyder/go-i18n/v2/i18n",
		"go.yaml.in/yaml/v3",
		"golang.org/x/text/language",
	},
	"mapping": {
		module + "mapping/dates",
		module + "mapping/jsonscan",
		module + "mapping/siteurl",
		"github.com/go-json-experiment/json",
		"github.com/go-json-experiment/json/jsontext",
		"golang.org/x/text/unicode/norm",
	},
	"mapping/compare": {
		module + "mapping",
		module + "mapping/jsonscan",
		"github.com/go-json-experiment/json/jsontext",
	},
	"mapping/dates": nil,
	"mapping/jsonscan": {
		"github.com/go-json-experiment/json/jsontext",
	},
	"mapping/mappingtest": {
		module + "mapping",
		module + "mapping/openapi",
		"github.com/getkin/kin-openapi/openapi3",
	},
	"mapping/openapi": {
		module + "mapping",
		module + "mapping/jsonscan",
		"github.com/go-json-experiment/json",
		"github.com/go-json-experiment/json/jsontext",
	},
	"mapping/recordedtest": {
		module + "i18n",
		"github.com/go-json-experiment/json/jsontext",
		"github.com/rogpeppe/go-internal/txtar",
	},
	"mapping/recordedtest/distil": {
		module + "i18n",
		module + "mapping/jsonscan",
		module + "mapping/recordedtest",
		"github.com/go-json-experiment/json/jsontext",
		"github.com/rogpeppe/go-internal/txtar",
	},
	"mapping/rewrite": {
		module + "mapping",
		module + "mapping/jsonscan",
		module + "mapping/siteurl",
		"github.com/go-json-experiment/json/jsontext",
	},
	"mapping/siteurl": {
		module + "mapping/jsonscan",
		"golang.org/x/net/idna",
	},
	"mapping/tec": {
		module + "mapping",
		module + "mapping/compare",
		module + "mapping/dates",
		module + "mapping/jsonscan",
		module + "mapping/tribe",
		"github.com/go-json-experiment/json",
		"github.com/go-json-experiment/json/jsontext",
	},
	"mapping/tribe": {
		module + "mapping",
		module + "mapping/dates",
		module + "mapping/jsonscan",
		module + "mapping/siteurl",
		"github.com/go-json-experiment/json/jsontext",
		"golang.org/x/text/unicode/norm",
	},
	"mapping/view": {
		module + "mapping",
		module + "mapping/jsonscan",
		"golang.org/x/net/html",
		"golang.org/x/net/html/atom",
	},
	"proxy": {
		module + "cache",
		module + "i18n",
		module + "mapping",
		module + "mapping/compare",
		module + "mapping/openapi",
		module + "mapping/rewrite",
		module + "mapping/siteurl",
		module + "mapping/tribe",
		module + "mapping/view",
		module + "proxy/docs",
		module + "proxy/edge",
		module + "proxy/freshness",
		module + "proxy/idempotency",
		module + "proxy/lane",
		module + "proxy/legacyclients",
		module + "proxy/probe",
		module + "proxy/problem",
		module + "proxy/staging",
		module + "proxy/telemetry",
		module + "proxy/tracing",
		module + "proxy/upstream",
		"github.com/cespare/xxhash/v2",
		"github.com/julienschmidt/httprouter",
		"github.com/klauspost/compress/gzip",
		"github.com/maypok86/otter/v2",
		"go.opentelemetry.io/otel/attribute",
		"go.opentelemetry.io/otel/codes",
		"go.opentelemetry.io/otel/trace",
		"go.uber.org/zap",
		"go.uber.org/zap/zapcore",
		"golang.org/x/net/html/charset",
		"golang.org/x/time/rate",
	},
	"proxy/admin": {
		module + "cache",
		module + "cache/redisstore",
		module + "i18n",
		module + "mapping",
		module + "proxy/docs",
		module + "proxy/onward",
		module + "proxy/problem",
		module + "proxy/telemetry",
		module + "proxy/tracing",
		module + "proxy/upstream",
		"github.com/dustin/go-humanize",
		"github.com/dustin/go-humanize/english",
		"github.com/go-json-experiment/json",
		"go.opentelemetry.io/otel/attribute",
		"go.opentelemetry.io/otel/trace",
		"go.uber.org/zap",
		"go.uber.org/zap/zapcore",
	},
	"proxy/browsertest": {
		"github.com/chromedp/cdproto/emulation",
		"github.com/chromedp/cdproto/input",
		"github.com/chromedp/cdproto/log",
		"github.com/chromedp/cdproto/network",
		"github.com/chromedp/cdproto/runtime",
		"github.com/chromedp/chromedp",
	},
	"proxy/docs": {
		module + "i18n",
		module + "mapping",
		module + "mapping/jsonscan",
		module + "mapping/openapi",
		module + "mapping/rewrite",
		"github.com/go-json-experiment/json/jsontext",
		"github.com/klauspost/compress/gzip",
	},
	"proxy/edge": {
		module + "cache/redisstore",
		module + "mapping",
		module + "proxy/problem",
		"github.com/maypok86/otter/v2",
		"github.com/rs/cors",
		"go.uber.org/zap",
		"golang.org/x/sync/semaphore",
		"golang.org/x/time/rate",
	},
	"proxy/facadetest": {
		module + "cache",
		module + "cache/testwait",
		module + "i18n",
		module + "mapping",
		module + "mapping/compare",
		module + "mapping/mappingtest",
		module + "mapping/openapi",
		module + "mapping/recordedtest",
		module + "mapping/siteurl",
		module + "mapping/tribe",
		module + "proxy",
		module + "proxy/docs",
		module + "proxy/edge",
		module + "proxy/freshness",
		module + "proxy/lane",
		module + "proxy/legacyclients",
		module + "proxy/probe",
		module + "proxy/proxytest",
		module + "proxy/recording",
		module + "proxy/secure",
		module + "proxy/staging",
		module + "proxy/staging/control",
		module + "proxy/telemetry",
		module + "proxy/upstream",
		"github.com/google/go-cmp/cmp",
		"github.com/rogpeppe/go-internal/txtar",
		"go.opentelemetry.io/otel/sdk/trace",
		"go.opentelemetry.io/otel/sdk/trace/tracetest",
		"go.opentelemetry.io/otel/trace",
		"go.uber.org/zap",
		"go.uber.org/zap/zapcore",
		"go.uber.org/zap/zaptest/observer",
	},
	"proxy/freshness": {
		module + "cache",
		module + "mapping",
		module + "proxy/edge",
		"github.com/cespare/xxhash/v2",
	},
	"proxy/idempotency": {
		module + "cache/redisstore",
		"github.com/maypok86/otter/v2",
	},
	"proxy/lane": nil,
	"proxy/legacyclients": {
		module + "i18n",
		module + "mapping",
		module + "mapping/jsonscan",
		module + "proxy/problem",
		module + "proxy/upstream",
	},
	"proxy/onward": {
		module + "cache",
		module + "cache/redisstore",
		module + "i18n",
		module + "mapping",
		module + "proxy/upstream",
		"go.uber.org/zap",
		"golang.org/x/time/rate",
	},
	"proxy/probe": {
		module + "i18n",
		module + "mapping",
		module + "mapping/rewrite",
		module + "mapping/siteurl",
		module + "mapping/tec",
		module + "mapping/tribe",
		module + "proxy/freshness",
		module + "proxy/upstream",
		"go.uber.org/zap",
		"golang.org/x/net/html",
		"golang.org/x/net/html/atom",
	},
	"proxy/problem": {
		module + "i18n",
		module + "mapping",
		module + "mapping/jsonscan",
		"github.com/go-json-experiment/json/jsontext",
	},
	"proxy/proxytest": {
		module + "mapping",
		module + "mapping/jsonscan",
	},
	"proxy/recording": {
		module + "mapping",
		module + "mapping/siteurl",
		module + "proxy/upstream",
		"github.com/go-json-experiment/json",
		"github.com/go-json-experiment/json/jsontext",
		"go.uber.org/zap",
	},
	"proxy/secure": {
		"go.uber.org/zap",
	},
	"proxy/staging": {
		"golang.org/x/sync/errgroup",
		"golang.org/x/sync/semaphore",
		"golang.org/x/time/rate",
	},
	"proxy/staging/control": {
		module + "mapping/compare",
		module + "proxy/admin",
		module + "proxy/staging",
		module + "proxy/staging/fleet",
		module + "proxy/telemetry",
		"go.uber.org/zap",
	},
	"proxy/staging/fleet": {
		module + "cache/redisstore",
		module + "proxy/staging",
		"go.uber.org/zap",
	},
	"proxy/staging/stagingtest": {
		module + "proxy/staging",
	},
	"proxy/telemetry": {
		module + "cache",
		module + "cache/redisstore",
		module + "i18n",
		module + "mapping",
		module + "proxy/onward",
		module + "proxy/tracing",
		module + "proxy/upstream",
		"github.com/prometheus/client_golang/prometheus",
		"github.com/prometheus/client_golang/prometheus/collectors",
		"github.com/prometheus/client_golang/prometheus/promauto",
		"github.com/prometheus/client_golang/prometheus/promhttp",
		"go.opentelemetry.io/otel/trace",
	},
	"proxy/tracing": {
		"go.opentelemetry.io/otel/attribute",
		"go.opentelemetry.io/otel/codes",
		"go.opentelemetry.io/otel/propagation",
		"go.opentelemetry.io/otel/trace",
	},
	"proxy/upstream": {
		module + "mapping",
		module + "mapping/jsonscan",
		module + "mapping/siteurl",
		module + "proxy/tracing",
		"github.com/go-resty/resty/v2",
		"go.opentelemetry.io/otel/attribute",
		"go.opentelemetry.io/otel/trace",
		"go.uber.org/zap",
		"golang.org/x/time/rate",
	},
}

// onlyIn are packages that one file or directory alone of the program may import.
var onlyIn = map[string]string{
	"github.com/go-resty/resty/v2": "proxy/upstream",
	"github.com/redis/go-redis/v9": "cache/redisstore",

	"github.com/nicksnyder/go-i18n/v2/i18n": "i18n/catalog.go",
}

func TestImports(t *testing.T) {
	root := os.DirFS(processtest.Repository)
	err := fs.WalkDir(root, ".", func(file string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go") {
			return err
		}
		source, err := fs.ReadFile(root, file)
		if err != nil {
			return err
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, source, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range parsed.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			standard := !strings.Contains(strings.Split(name, "/")[0], ".")
			if !standard && !slices.Contains(mayImport[path.Dir(file)], name) {
				t.Errorf("%s may not import %s", file, name)
			}
			if only, ok := onlyIn[name]; ok && only != file && !strings.HasPrefix(file, only+"/") {
				t.Errorf("%s imports %s, which only %s may", file, name, only)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestSwitch holds that the rest of the program knows a migration by interfaces: only the files of wing, and the packages
// of migrationPackages themselves, import these packages.
func TestSwitch(t *testing.T) {
	root := os.DirFS(processtest.Repository)
	var importers []string
	err := fs.WalkDir(root, ".", func(file string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go") || isOfMigration(path.Dir(file)) ||
			isForTests(path.Dir(file)) {
			return err
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(processtest.Repository, file), nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(parsed.Imports, func(spec *ast.ImportSpec) bool {
			name, _ := strconv.Unquote(spec.Path.Value)
			return isOfMigration(strings.TrimPrefix(name, module))
		}) {
			importers = append(importers, file)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(importers, wing) {
		t.Errorf("packages of a migration are imported by %q, want %q", importers, wing)
	}
}

// wing are the files by which the program reaches the packages of a migration: the door of "calfacade serve", which is
// internal/service/migration.go, the commands of a migration, its section of the configuration, and in package proxy the
// switch, and the reader of the commands that compare two sites.
var wing = []string{
	"cmd/calfacade/audit.go",
	"cmd/calfacade/diff.go",
	"cmd/calfacade/internal/config/candidate.go",
	"cmd/calfacade/internal/config/staging.go",
	"cmd/calfacade/internal/service/migration.go",
	"cmd/calfacade/record.go",
	"cmd/calfacade/replay.go",
	"cmd/calfacade/stage.go",
	"cmd/calfacade/survey_flags.go",
	"cmd/calfacade/warm.go",
	"mapping/tec/differences.go", // the configuration reads these, for comparisons
	"proxy/migration.go",
	"proxy/migration_options.go",
	"proxy/reader.go",
	"proxy/samples.go",
}

// migrationPackages serve nothing but a migration, and records of sites.
var migrationPackages = []string{
	"cmd/calfacade/internal/survey", "mapping/compare", "proxy/recording", "proxy/staging", "proxy/staging/control",
	"proxy/staging/fleet",
}

// isOfMigration reports whether a directory is one of migrationPackages.
func isOfMigration(directory string) bool { return slices.Contains(migrationPackages, directory) }

// isForTests reports whether a directory has a package that only tests import.
func isForTests(directory string) bool { return strings.HasSuffix(directory, "test") }

// TestMappingIsPure holds that the contract neither does I/O nor reads a clock.
func TestMappingIsPure(t *testing.T) {
	var files []string
	for _, dir := range []string{"mapping", "mapping/compare", "mapping/dates", "mapping/jsonscan",
		"mapping/openapi", "mapping/rewrite", "mapping/siteurl", "mapping/tec"} {
		names, err := filepath.Glob(processtest.Repository + "/" + dir + "/*.go")
		if err != nil || len(names) == 0 {
			t.Fatal("no files", err)
		}
		files = append(files, names...)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range []string{"time.Now", `"os"`, `"net"`, "http.Get", "http.Client", "rand"} {
			if strings.Contains(string(source), word) {
				t.Errorf("%s uses %s", file, word)
			}
		}
	}
}
