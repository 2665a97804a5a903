package sim

// translated is a title or a name as the site shows it below the directory of a
// language. Only a site that translates its answers has a dictionary.
func (c *call) translated(original string) string {
	if c.site.opts.Languages != OneIDTranslated || c.root.lang == c.site.languages[0] {
		return original
	}
	if t, found := dictionaryOf(c.root.lang.code)[original]; found {
		return t
	}
	return original
}

// dictionaryOf pairs what the seeds of the default language and of another call
// things. What has no pair is not translated.
func dictionaryOf(code string) map[string]string {
	from, to := seeds[languages[0].code], seeds[code]
	d := map[string]string{
		from.special.sticky: to.special.sticky, from.special.featured: to.special.featured, from.special.trio: to.special.trio,
	}
	for i := range min(len(from.venues), len(to.venues)) {
		d[from.venues[i].name] = to.venues[i].name
	}
	for i := range min(len(from.categories), len(to.categories)) {
		d[storedName(from.categories[i].name)] = storedName(to.categories[i].name)
	}
	return d
}

var seeds = map[string]seedTexts{"en": seedEN, "es": seedES, "de": seedDE, "fr": seedFR}
