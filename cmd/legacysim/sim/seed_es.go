package sim

var seedES = seedTexts{
	rounds: 2,
	categories: []seedCategory{
		{"En el agua", ""}, {"Paseos en barco", "En el agua"}, {"Escena y pantalla", ""}, {"Títeres", "Escena y pantalla"},
		{"Sonido", ""}, {"Coros", "Sonido"}, {"Saberes & oficios", ""}, {"Mercados", ""},
	},
	tags:   []string{"entrada libre", "sin escalones", "en familia", "al aire libre", "noche larga", "socios", "niños", "hora tranquila"},
	venues: venuesES,
	organizers: []string{
		"Ayuntamiento de Ciudad Puerto", "Amigas del Muelle", "Club de Remo", "Coro «Do grave»", "Taller de Reparación", "Títeres O'Hara", "Por anunciar",
	},
	series: []seedSeries{
		{"Paseo al atardecer", 1, "18", 18}, {"Noche de canciones marineras", 4, "Donativo", 20}, {"Títeres en el muelle", 3, "6", 12},
		{"Ensayo abierto del coro", 5, "", 18}, {"Taller de nudos", 6, "30", 10}, {"Mercado nocturno", 7, "0", 19},
		{"Cine mudo con órgano", 2, "11", 20}, {"Café de las reparaciones", 6, "", 11},
	},
	paragraphs: []string{
		"Nos vemos junto a la grúa azul, diez minutos antes. Hay unos pocos escalones.",
		"No hace falta reservar. Si llueve, seguimos bajo el techo del mercado.",
		"Una tarde tranquila para gente curiosa: \"ninguna pregunta es pequeña\".",
	},
	special: specialTexts{
		country: "España", province: "Costa Norte",
		sticky: "Fijado: empieza la temporada", hidden: "Ensayo interno, fuera de la lista", featured: "Gala de las luces del puerto",
		locked: "Cena de socios con contraseña", secret: "El menú es secreto: anguila ahumada.",
		draft: "Borrador sin terminar", pending: "Pendiente de revisión", private: "Reunión privada", trashed: "Cancelado y tirado",
		selfTitle: "Noche de código: construir sobre tribe/events/v1",
		html:      `<em>Nudos</em> & "empalmes"`,
		emoji:     "⚓️ ¡A bordo! Ñandú y Größe 日本 🚢", emojiText: "👩‍🚀 tripulación, 𝓕antasía.\n\n日本語。Ελλάδα.",
		trio: "Tres anfitriones, una mesa", pair: "Dos casas, un desfile",
		festival: "Tres días de vela", child: "Apertura de los tres días", offset: "Con el reloj de Calcuta",
		far: "Apertura de la cápsula del tiempo", instant: "Un minuto de ruido", future: "Se anuncia el mes que viene",
		atLocked: "Cena en la bodega del práctico", contributed: "La idea de un colaborador", words: "Barcos de papel",
	},
}

var venuesES = []seedVenue{
	{"Casa de la Aduana", "Calle del Muelle 1", "Ciudad Puerto", "39001"},
	{"La Cordelería", "Calle Cáñamo 22", "Ciudad Puerto", "39002"},
	{"Sala del Farol", "Cuesta del Faro 4", "Ciudad Puerto", "39003"},
	{"Muelle Nueve", "Paseo Marítimo", "Ciudad Puerto", "39004"},
	{"Antigua Lonja", "Plaza del Pescado", "Ciudad Puerto", "39005"},
	{"Bodega del Práctico", "Calle del Muelle 11", "Ciudad Puerto", "39006"},
	{"Astillero (próximamente)", "Sin abrir", "Ciudad Puerto", "39007"},
}
