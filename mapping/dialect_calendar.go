package mapping

// Neutral is what clients speak. A backend that speaks it needs no translation,
// only links of the facade in place of its own.
var Neutral = &Dialect{
	Namespace:     Namespace,
	LanguageParam: Language.Name,
	Total:         "X-Calendar-Total",
	TotalPages:    "X-Calendar-Totalpages",
}
