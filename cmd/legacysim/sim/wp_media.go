package sim

import (
	"cmp"
	"math"
	"path"
	"slices"
	"strings"
)

// wpMediaOrders are what WordPress sorts images by.
var wpMediaOrders = []string{"author", "date", "id", "include", "modified", "parent", "relevance", "slug", "include_slugs", "title"}

// wpMedia lists images, the newest first, or shows one.
func (c *call) wpMedia(id string) (*answer, error) {
	if !c.reads() {
		return nil, c.root.lang.noRoute()
	}
	if id != "" {
		image := c.blog.find(imageKind, atoi(id))
		if image == nil {
			return nil, refusal(404, "rest_post_invalid_id", "Invalid post ID.")
		}
		c.allow = get
		a := &answer{status: 200, body: c.wpImage(image)}
		a.more = object{{"Link", "<" + c.imagePage(image) + `>; rel="alternate"; type=text/html`}}
		return a, nil
	}
	c.allow = get
	if err := c.wpFaults(wpMediaOrders); err != nil {
		return nil, err
	}
	if err := c.wpContext(c.user.createsPost(), "posts in this post type"); err != nil {
		return nil, err
	}
	wanted, slugs := c.params.ints("include"), c.params.list("slug")
	found := c.blog.all(imageKind, func(p *post) bool {
		return (wanted == nil || slices.Contains(wanted, p.id)) && (slugs == nil || slices.Contains(slugs, slugify(imageName(p))))
	})
	slices.SortStableFunc(found, func(a, b *post) int { return cmp.Or(b.date.Compare(a.date), b.id-a.id) })
	p := c.paging(len(found), math.MaxInt)
	if p.beyond() {
		const message = "The page number requested is larger than the number of pages available."
		return nil, refusal(400, "rest_post_invalid_page_number", message)
	}
	return c.wpList(each(slice(found, p), c.wpImage), p, "wp/v2/media", c.pageQuery()), nil
}

func (c *call) imagePage(p *post) string { return c.home() + "/" + imageName(p) + "/" }

// imageName is the title of an image: the name of its file.
func imageName(p *post) string {
	return strings.TrimSuffix(path.Base(p.file.path), path.Ext(p.file.path))
}

// wpImage leaves the texts about an image empty: nobody wrote any.
func (c *call) wpImage(p *post) object {
	zone, name, url := c.root.lang.zone, imageName(p), c.uploadURL(p.file.path)
	text := `<p class="attachment"><a href='` + url + `'><img src="` + url + `" alt="" /></a></p>` + "\n"
	return object{
		{"id", p.id}, {"date", p.date.In(zone).Format(tecTime)}, {"date_gmt", p.date.UTC().Format(tecTime)},
		{"guid", object{{"rendered", url}}},
		{"modified", p.modified.In(zone).Format(tecTime)}, {"modified_gmt", p.modified.UTC().Format(tecTime)},
		{"slug", slugify(name)}, {"status", "inherit"}, {"type", string(imageKind)}, {"link", c.imagePage(p)},
		{"title", object{{"rendered", name}}}, {"author", p.author}, {"featured_media", 0},
		{"comment_status", "open"}, {"ping_status", "closed"}, {"template", ""}, {"meta", membersOf(imageMeta)},
		{"class_list", list{"post-" + itoa(p.id), "attachment", "type-attachment", "status-inherit", "hentry"}},
		{"description", object{{"rendered", text}}},
		{"caption", object{{"rendered", ""}}}, {"alt_text", ""}, {"media_type", "image"}, {"mime_type", p.file.mime},
		{"media_details", c.mediaDetails(p.file)}, {"post", nil}, {"source_url", url}, {"_links", c.imageLinks(p)},
	}
}

func (c *call) mediaDetails(f *imageData) object {
	var sizes object
	for _, s := range c.renderSizes(f) {
		size := s.value.(object)
		sizes = sizes.with(s.name, object{
			{"file", path.Base(size[4].value.(string))}, {"width", size[0].value}, {"height", size[1].value},
			{"filesize", size[3].value}, {"mime_type", size[2].value}, {"source_url", size[4].value},
		})
	}
	sizes = sizes.with("full", object{
		{"file", path.Base(f.path)}, {"width", f.width}, {"height", f.height}, {"mime_type", f.mime}, {"source_url", c.uploadURL(f.path)},
	})
	camera := membersOf("aperture=0 credit camera caption created_timestamp=0 copyright focal_length=0 " +
		"iso=0 shutter_speed=0 title orientation=0 keywords=[]")
	return object{
		{"width", f.width}, {"height", f.height}, {"file", f.path}, {"filesize", f.bytes}, {"sizes", sizes},
		{"image_meta", camera},
	}
}

// imageMeta are the fields that the plugin adds to every post, whatever it is.
const imageMeta = "_EventAllDay=false _EventTimezone _EventStartDate _EventEndDate _EventStartDateUTC _EventEndDateUTC " +
	"_EventShowMap=false _EventShowMapLink=false _EventURL _EventCost _EventCostDescription _EventCurrencySymbol _EventCurrencyCode " +
	"_EventCurrencyPosition _EventDateTimeSeparator _EventTimeRangeSeparator _EventOrganizerID=[] _EventVenueID=[] " +
	"_OrganizerEmail _OrganizerPhone _OrganizerWebsite _VenueAddress _VenueCity _VenueCountry _VenueProvince _VenueState _VenueZip " +
	"_VenuePhone _VenueURL _VenueStateProvince _VenueLat _VenueLng _VenueShowMap=false _VenueShowMapLink=false"

// membersOf is an object of names with texts, false or empty lists.
func membersOf(names string) object {
	var o object
	for name := range strings.FieldsSeq(names) {
		name, value, _ := strings.Cut(name, "=")
		switch value {
		case "false":
			o = o.with(name, false)
		case "[]":
			o = o.with(name, list{})
		default:
			o = o.with(name, value)
		}
	}
	return o
}

func (c *call) imageLinks(p *post) object {
	href := func(path string) object { return object{{"href", c.restLink("wp/v2/" + path)}} }
	embeddable := func(path string) list { return list{append(object{{"embeddable", true}}, href(path)...)} }
	hints := object{{"allow", list{"GET"}}}
	return object{
		{"self", list{href("media/"+itoa(p.id)).with("targetHints", hints)}},
		{"collection", list{href("media")}}, {"about", list{href("types/attachment")}},
		{"author", embeddable("users/" + itoa(p.author))}, {"replies", embeddable("comments?post=" + itoa(p.id))},
	}
}
