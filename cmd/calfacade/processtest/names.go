package processtest

// TestToken is the admin.token of tests.
const TestToken = "opensesame-0123456789"

// PurgeToken is the admin.purge_token of tests, and Neutral the path of the namespace.
const (
	PurgeToken = "purging-0123456789abcdef"
	Neutral    = "/wp-json/calendar/events/v1"
)

// LegacyNamespace is the namespace of the legacy.
const LegacyNamespace = "tribe/events/v1"

// Pages is where the facades of these tests show the pages of their sites.
const Pages = "https://www.example.org"
