package sim

var seedDE = seedTexts{
	rounds: 2,
	categories: []seedCategory{
		{"Auf dem Wasser", ""}, {"Bootsfahrten", "Auf dem Wasser"}, {"Bühne & Leinwand", ""}, {"Puppenspiel", "Bühne & Leinwand"},
		{"Klang", ""}, {"Chöre", "Klang"}, {"Wissen und Handwerk", ""}, {"Märkte", ""},
	},
	tags:   []string{"Eintritt frei", "stufenlos", "für Familien", "draußen", "lange Nacht", "Mitglieder", "Kinder", "stille Stunde"},
	venues: venuesDE,
	organizers: []string{
		"Stadt Hafenstadt", "Freundinnen der Reeperbahn", "Ruderverein", "Chor „Tiefes C“", "Reparaturschuppen", "Puppenbühne O'Hara", "Noch offen",
	},
	series: []seedSeries{
		{"Hafenrundfahrt bei Sonnenuntergang", 1, "18", 18}, {"Abend der Seemannslieder", 4, "Spende", 20}, {"Puppenspiel am Kai", 3, "6", 15},
		{"Offene Chorprobe", 5, "", 18}, {"Spleißen für Anfänger", 6, "30", 10}, {"Nachtmarkt", 7, "0", 18},
		{"Stummfilm mit Orgel", 2, "11", 20}, {"Reparaturcafé", 6, "", 11},
	},
	paragraphs: []string{
		"Treffpunkt ist der blaue Kran, zehn Minuten vorher. Der Weg hinunter hat ein paar Stufen.",
		"Ohne Anmeldung. Bei Regen ziehen wir unter das Marktdach & machen weiter.",
		"Ein ruhiger Abend für Neugierige: \"Keine Frage ist zu klein.\"",
	},
	special: specialTexts{
		country: "Deutschland", province: "Küstenland",
		sticky: "Angepinnt: die Saison beginnt", hidden: "Interne Probe, nicht gelistet", featured: "Gala der Hafenlichter",
		locked: "Mitgliederessen mit Passwort", secret: "Das Menü ist geheim: Räucheraal.",
		draft: "Unfertiger Entwurf", pending: "Wartet auf Prüfung", private: "Vertrauliche Sitzung", trashed: "Abgesagt und weggeworfen",
		selfTitle: "Hack-Abend: Bauen auf tribe/events/v1",
		html:      `<em>Knoten</em> & "Spleiße"`,
		emoji:     "⚓️ Ahoi! Größe, Straße, Öl 日本 🚢", emojiText: "👩‍🚀 Mannschaft, 𝓕antasie.\n\n日本語。Ελλάδα.",
		trio: "Drei Gastgeber, ein Tisch", pair: "Zwei Häuser, ein Umzug",
		festival: "Drei Tage Segel", child: "Eröffnung der drei Tage", offset: "Nach der Uhr von Kalkutta",
		far: "Öffnung der Zeitkapsel", instant: "Eine Minute Lärm", future: "Nächsten Monat angekündigt",
		atLocked: "Essen im Lotsenkeller", contributed: "Idee eines Mitarbeiters", words: "Papierboote gegen Spende",
	},
}

var venuesDE = []seedVenue{
	{"Zollhaus", "Kaistraße 1", "Hafenstadt", "20001"},
	{"Seilerei", "Hanfgasse 22", "Hafenstadt", "20002"},
	{"Laternensaal", "Leuchtfeuerweg 4", "Hafenstadt", "20003"},
	{"Pier Neun", "Pierstraße", "Hafenstadt", "20004"},
	{"Alte Fischhalle", "Marktplatz", "Hafenstadt", "20005"},
	{"Lotsenkeller", "Kaistraße 11", "Hafenstadt", "20006"},
	{"Werft (in Planung)", "Noch geschlossen", "Hafenstadt", "20007"},
}
