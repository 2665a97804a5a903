package mapping

// Tribe is what the legacy speaks. The table follows it, but for its names and
// its holes.
var Tribe = &Dialect{
	Namespace:     "tribe/events/v1",
	LanguageParam: "wpml_language",
	Total:         "X-Tec-Total",
	TotalPages:    "X-Tec-Totalpages",
	Vendor:        "tribe_",
	WordPress:     true,
	Holes:         true,
	DropsZones:    true,
}
