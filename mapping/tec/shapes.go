package tec

import (
	"slices"
)

func init() {
	head := []attribute{
		{"author", "author", inQuotes}, {"status", "status", same},
		{"date", "date", dayTime}, {"date_utc", "date_gmt", dayTime}, {"modified", "modified", dayTime}, {"modified_utc", "modified_gmt", dayTime},
		{"url", "link", same},
	}
	global := []attribute{{"global_id", "link", globalID}, {"global_id_lineage", "link", lineage}}
	place := []attribute{
		{"description", "content.rendered", filled}, {"excerpt", "excerpt.rendered", filled}, {"slug", "slug", filled}, {"image", "featured_media", someImage},
	}
	join := func(lists ...[]attribute) (all []attribute) {
		for _, l := range lists {
			all = append(all, l...)
		}
		return all
	}
	one := []attribute{{"id", "id", same}}
	shapes = map[string][]attribute{
		"events": join(one, global, head, []attribute{
			{"rest_url", "id", restURL}, {"title", "title.rendered", same}, {"description", "content.rendered", trimmed},
			{"excerpt", "excerpt.rendered", trimmed}, {"slug", "slug", same}, {"image", "featured_media", image}, {"all_day", "all_day", same},
			{"start_date", "start_date", same}, {"start_date_details", "start_date", details}, {"end_date", "end_date", same}, {"end_date_details", "end_date", details},
			{"utc_start_date", "start_date_utc", same}, {"utc_start_date_details", "start_date_utc", details}, {"utc_end_date", "end_date_utc", same}, {"utc_end_date_details", "end_date_utc", details},
			{"timezone", "timezone", same}, {"timezone_abbr", "timezone", zoneAbbr}, {"cost", "cost", same}, {"cost_details", "cost", costDetails},
			{"website", "", always(`""`)}, {"show_map", "", always("null")}, {"show_map_link", "", always("null")}, {"hide_from_listings", "", always("null")},
			{"sticky", "sticky", same}, {"featured", "featured", same},
			{"categories", "tribe_events_cat", termsOf("categories")}, {"tags", "tags", termsOf("tags")},
			{"venue", "venues", oneOrSeveral}, {"organizer", "organizers", several("organizers")}, {"custom_fields", "", always("[]")},
		}),
		"venues": join(one, head, []attribute{{"venue", "title.rendered", same}}, place, []attribute{
			{"address", "address", filled}, {"city", "city", filled}, {"country", "country", filled}, {"province", "province", filled}, {"state", "state", filled},
			{"stateprovince", "state_province", filled}, {"zip", "zip", filled}, {"phone", "phone", filled}, {"website", "website", filled},
			{"show_map", "", always("null")}, {"show_map_link", "", always("null")},
		}, global),
		"organizers": join(one, head, []attribute{{"organizer", "title.rendered", same}}, place, []attribute{
			{"phone", "phone", filled}, {"website", "website", filled}, {"email", "email", filled},
		}, global),
		"categories": {
			{"id", "id", same}, {"count", "count", same}, {"description", "description", same}, {"name", "name", same}, {"slug", "slug", same},
			{"taxonomy", "taxonomy", same}, {"parent", "parent", same}, {"meta", "meta", same}, {"url", "link", same}, {"urls", "id", termURLs},
		},
	}
	shapes["tags"] = shapes["categories"]
	shapes[embeddedTerm] = slices.DeleteFunc(slices.Clone(shapes["tags"]), func(a attribute) bool { return a.name == "meta" || a.name == "url" })
}
