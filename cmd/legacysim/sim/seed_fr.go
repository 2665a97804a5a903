package sim

var seedFR = seedTexts{
	rounds: 2,
	categories: []seedCategory{
		{"Sur l'eau", ""}, {"Balades en bateau", "Sur l'eau"}, {"Scène & écran", ""}, {"Marionnettes", "Scène & écran"},
		{"Musique", ""}, {"Chorales", "Musique"}, {"Savoirs", ""}, {"Marchés", ""},
	},
	tags:       []string{"entrée libre", "plain-pied", "en famille", "dehors", "nocturne", "adhérents", "enfants", "heure calme"},
	venues:     venuesFR,
	organizers: []string{"Ville du Port", "Amies de la Corderie", "Club d'aviron", "Chorale « Do grave »", "Atelier de réparation", "À venir"},
	series: []seedSeries{
		{"Balade au couchant", 1, "18", 18}, {"Soirée chants de marins", 4, "Participation libre", 20}, {"Marionnettes sur le quai", 3, "6", 15},
		{"Répétition ouverte", 5, "", 18}, {"Marché de nuit", 7, "0", 19},
	},
	paragraphs: []string{
		"Rendez-vous sous la grue bleue, dix minutes avant. Il y a quelques marches.",
		"Sans réservation. S'il pleut, on continue sous la halle.",
		"Une soirée calme pour les curieux : \"aucune question n'est trop petite\".",
	},
	special: specialTexts{
		country: "France", province: "Côte du Nord",
		sticky: "Épinglé : la saison commence", hidden: "Répétition interne, non listée", featured: "Gala des lumières du port",
		locked: "Dîner des adhérents avec mot de passe", secret: "Le menu est secret : anguille fumée.",
		draft: "Brouillon inachevé", pending: "En attente de relecture", private: "Réunion privée", trashed: "Annulé et jeté",
		selfTitle: "Soirée code : construire sur tribe/events/v1",
		html:      `<em>Nœuds</em> & "épissures"`,
		emoji:     "⚓️ À bord ! Fête, Größe, ñ 日本 🚢", emojiText: "👩‍🚀 équipage, 𝓕antaisie.\n\n日本語。Ελλάδα.",
		trio: "Trois hôtes, une table", pair: "Deux maisons, un défilé",
		festival: "Trois jours de voile", child: "Ouverture des trois jours", offset: "À l'heure de Calcutta",
		far: "Ouverture de la capsule", instant: "Une minute de bruit", future: "Annoncé le mois prochain",
		atLocked: "Dîner dans la cave du pilote", contributed: "L'idée d'un contributeur", words: "Bateaux en papier",
	},
}

var venuesFR = []seedVenue{
	{"Maison de la Douane", "1 rue du Quai", "Le Port", "62001"},
	{"La Corderie", "22 rue du Chanvre", "Le Port", "62002"},
	{"Salle de la Lanterne", "4 montée du Phare", "Le Port", "62003"},
	{"Quai Neuf", "Promenade", "Le Port", "62004"},
	{"Cave du Pilote", "11 rue du Quai", "Le Port", "62005"},
	{"Chantier (bientôt)", "Pas encore ouvert", "Le Port", "62006"},
}
