package upstream

// LegacyName names the legacy among the backends. No other backend has this name.
const LegacyName = "legacy"

// RootName returns the name of a REST root in metrics and logs: the code of its language,
// as "es", or "new:es" of a backend other than the legacy.
func RootName(backend, language string) string {
	if backend == LegacyName {
		return language
	}
	return backend + ":" + language
}
