package config

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/caarlos0/env/v11"
)

// envPrefix starts every variable that is ours. One that names no key is an
// error, for a typo must not be silent. Kubernetes makes such variables for
// every Service: for one named "calfacade", a pod needs enableServiceLinks:
// false.
const envPrefix = "CALFACADE_"

// emptyValue stands for a variable that is set and empty, which package env
// takes for unset. It may be written by hand as well.
const emptyValue = `""`

// envParsers are by exact type, and take the place of env's own.
var envParsers = map[reflect.Type]env.ParserFunc{
	reflect.TypeFor[string]():   func(v string) (any, error) { return envString(v), nil },
	reflect.TypeFor[[]string](): func(v string) (any, error) { return envList(v), nil },
	reflect.TypeFor[Secret]():   func(v string) (any, error) { return NewSecret(envString(v)), nil },
	reflect.TypeFor[Secrets]():  func(v string) (any, error) { return NewSecrets(envList(v)), nil },
}

func envString(v string) string {
	if v == emptyValue {
		return ""
	}
	return v
}

func envList(v string) []string {
	if v == emptyValue {
		return nil
	}
	list := strings.Split(v, ",")
	for i := range list {
		list[i] = strings.TrimSpace(list[i])
	}
	return list
}

// overlayEnv sets each key of cfg that environ has a variable for, and leaves
// the rest. The variables are taken in sorted order.
func overlayEnv(cfg *Config, environ []string) error {
	vars := env.ToMap(environ)
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(vars)) {
		if strings.HasPrefix(name, envPrefix) {
			errs = append(errs, setFromEnv(cfg, name, vars[name]))
		}
	}
	return errors.Join(errs...)
}

// setFromEnv sets one variable at a time, because env's errors name the Go
// field, which is not unique, and not the variable.
func setFromEnv(cfg *Config, name, value string) error {
	if resource, found := strings.CutPrefix(name, ttlPrefix); found && cfg.Cache.TTL.has(resource) {
		return cfg.Cache.TTL.setFromEnv(name, resource, value)
	}
	growLanguages(cfg, name)
	known := false
	err := env.ParseWithOptions(cfg, env.Options{
		Environment:           map[string]string{name: cmp.Or(value, emptyValue)},
		Prefix:                envPrefix,
		UseFieldNameByDefault: true,
		FuncMap:               envParsers,
		OnSet:                 func(key string, _ any, _ bool) { known = known || key == name },
	})
	if !known || errors.Is(err, env.NoParserError{}) {
		return fmt.Errorf("%s: no key of the configuration has this name%s", name, removedEnv(name))
	}
	if pe, ok := errors.AsType[env.ParseError](err); ok {
		err = pe.Err
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// ttlPrefix starts the variables of CacheConfig.TTL, whose keys are the table's
// and so unknown to package env.
const ttlPrefix = envPrefix + "CACHE_TTL_"

func (t TTLs) has(variable string) bool {
	_, ok := t[strings.ToLower(variable)]
	return ok && variable == strings.ToUpper(variable)
}

func (t TTLs) setFromEnv(name, variable, value string) error {
	d, err := time.ParseDuration(value)
	if err != nil {
		return fmt.Errorf("%s: unable to parse duration: %w", name, err)
	}
	t[strings.ToLower(variable)] = d
	return nil
}

// growLanguages makes room for a variable of the language right behind the
// last one: env itself counts from 0 and stops at the first index that has no
// variable, so it could not extend what the file lists.
func growLanguages(cfg *Config, name string) {
	next := fmt.Sprintf("%sLANGUAGES_%d_", envPrefix, len(cfg.Languages))
	if strings.HasPrefix(name, next) {
		cfg.Languages = append(cfg.Languages, Language{})
	}
}
