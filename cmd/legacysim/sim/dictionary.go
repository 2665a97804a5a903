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
	from, to := seeds()[languages[0].code], seeds()[code]
	d := map[string]string{
		from.Special.Sticky: to.Special.Sticky, from.Special.Featured: to.Special.Featured, from.Special.Trio: to.Special.Trio,
	}
	for i := range min(len(from.Venues), len(to.Venues)) {
		d[from.Venues[i].Name] = to.Venues[i].Name
	}
	for i := range min(len(from.Categories), len(to.Categories)) {
		d[storedName(from.Categories[i].Name)] = storedName(to.Categories[i].Name)
	}
	return d
}
