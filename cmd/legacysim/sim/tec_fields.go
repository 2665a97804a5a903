package sim

// tecFields are the parameters of a write. There is no other way to say what an endpoint takes:
// what is not among them is ignored.
func tecFields(k kind) []tecArg {
	fields := []tecArg{
		tecPatternDate("date", "The date the entity was published, in the site's timezone. In RFC3339 format.", tecPostPattern),
		tecPatternDate("date_gmt", "The date the entity was published, as GMT. In RFC3339 format.", tecPostPattern),
		tecText("slug", "An alphanumeric identifier for the entity unique to its type"),
		tecEnum("status", "A named status for the entity.", "publish", tecPostStatuses...),
		tecText("title", "HTML title for the entity, transformed for display"),
		tecText("content", "HTML content for the entity, transformed for display"),
		tecText("excerpt", "HTML excerpt for the entity, transformed for display"),
		tecNumber("author", "The ID for the author of the entity."),
		tecNumber("featured_media", "The ID of the featured media for the entity."),
		tecEnum("comment_status", "Whether or not comments are open on the entity.", "open", "open", "closed"),
		tecEnum("ping_status", "Whether or not the entity can be pinged", "open", "open", "closed"),
		tecEnum("format", "The format for the entity.", "standard",
			"standard", "aside", "chat", "gallery", "link", "image", "quote", "status", "video", "audio"),
		tecBool("sticky", "Whether or not the entity should be treated as sticky").with("default", false),
		tecText("template", "The theme file to use to display the entity."),
		tecIDs("tags", "The terms assigned to the entity in the post_tag taxonomy", tecArePositive),
	}
	switch k {
	case eventKind:
		fields[12] = tecBool("sticky", "Whether the event is sticky")
		return append(fields, tecEventFields()...)
	case venueKind:
		for _, name := range []string{"address", "country", "city", "state_province", "state", "province", "zip", "phone"} {
			fields = append(fields, tecText(name, "The venue "+tecVenueWords[name]))
		}
		return append(fields, tecURL("website", "The venue website"))
	}
	return append(fields,
		tecText("phone", "The organizer's phone number").with("format", "tel"),
		tecURL("website", "The organizer's website"),
		tecOf("email", "The organizer's email address", "string", tecIsEmail).with("format", "email"),
	)
}

func tecURL(name, text string) tecArg {
	return tecOf(name, text, "string", tecIsURL).with("format", "uri")
}

// tecVenueWords are what the descriptions call the fields of a venue.
var tecVenueWords = map[string]string{
	"address": "address", "country": "country", "city": "city", "state_province": "state/province",
	"state": "state", "province": "province", "zip": "zip code", "phone": "phone number",
}

func tecEventFields() []tecArg {
	return []tecArg{
		tecIDs("tribe_events_cat", "The terms assigned to the entity in the tribe_events_cat taxonomy", tecArePositive),
		tecPatternDate("start_date", "The start date of the event", tecTimePattern),
		tecPatternDate("start_date_utc", "The start date of the event in UTC", tecTimePattern),
		tecPatternDate("end_date", "The end date of the event", tecTimePattern),
		tecPatternDate("end_date_utc", "The end date of the event in UTC", tecTimePattern),
		tecText("timezone", "The timezone of the event"),
		tecNumber("duration", "The duration of the event in seconds"),
		tecBool("all_day", "Whether the event is all day"),
		tecBool("featured", "Whether the event is featured"),
		tecText("cost", "The cost of the event"),
		tecIDs("organizers", "The organizers of the event", tecArePositive),
		tecIDs("venues", "The venues of the event", tecArePositive),
	}
}
