package sim

import "time"

// selfReference is people's own text that happens to speak of the API. It is
// content: nothing on the way may change a letter of it.
const (
	selfURL  = "http://legacy.test/wp-json/tribe/events/v1/events/77"
	selfBody = `For developers: our calendar lives at <code>tribe/events/v1</code>, e.g. <a href="` + selfURL + `">` + selfURL + `</a>.

Words such as tribe_events, tribe_events_cat, The Events Calendar, X-TEC-Total, rest_url and wpml_language are part of this text. ` +
		`So is <code>/?rest_route=/tribe/events/v1/events&amp;page=2</code>, ` +
		`and escaped: <code>http:\/\/legacy.test\/wp-json\/tribe\/events\/v1\/</code>`
	selfExcerpt = `Read ` + selfURL + ` or "tribe/events/v1".`
)

const rtlTitle = "مهرجان الميناء – פסטיבל הנמל"

const htmlBody = `<h2>Order of the day</h2>
<ul>
<li>Salt &amp; pepper</li>
<li>D:\boats\list.txt and \u00e9</li>
<li>"double" and 'single'</li>
</ul>

<!-- a remark --><table><tr><td>3 &lt; 4</td></tr></table>

<pre>one
	two</pre>

<script>console.log("left alone")</script><iframe src="https://video.example/embed/9"></iframe>`

// Passwords of the seed, and of nothing else.
const (
	eventPassword = "lighthouse"
	venuePassword = "harbour"
)

// addSpecials adds one event of every kind that has ever made trouble. Their
// ids are the first of all events, in this order.
func (s *seeder) addSpecials() {
	t := s.texts.Special
	locked := len(s.venues) - 2
	symbol := func(cost, symbol string) func(*post) {
		return func(p *post) { p.event.cost, p.event.symbol = cost, symbol }
	}
	s.special(20, t.Sticky, func(p *post) { p.event.sticky = true })
	s.special(21, t.Hidden, func(p *post) { p.event.hidden = true })
	s.special(22, t.Featured, symbol("99", "$"), func(p *post) { p.event.featured, p.image = true, s.images[1] })
	s.special(23, t.Locked, s.linked(1, 1), func(p *post) {
		p.password, p.content, p.excerpt, p.image, p.event.cost = eventPassword, t.Secret, t.Secret, s.images[0], "10"
	})
	s.special(24, t.Draft, func(p *post) { p.status, p.content = "draft", t.Words })
	s.special(25, t.Pending, func(p *post) { p.status = "pending" })
	s.special(26, t.Private, func(p *post) { p.status = "private" })
	s.special(27, t.Trashed, func(p *post) {
		p.status, p.slug, p.slugBefore = "trash", slugify(t.Trashed)+trashedSuffix, slugify(t.Trashed)
	})
	s.special(28, t.SelfTitle, func(p *post) {
		site := selfURL
		p.content, p.excerpt, p.event.website = selfBody, selfExcerpt, &site
	})
	s.special(29, t.HTML, func(p *post) { p.content = htmlBody })
	s.special(30, t.Emoji, func(p *post) { p.content = t.EmojiText })
	s.special(31, rtlTitle, func(p *post) {
		p.content = "<p dir=\"rtl\">أهلا بكم عند الماء.</p>\n\n<p dir=\"rtl\">ברוכים הבאים, \"נמל\"!</p>"
	})
	s.special(32, t.Trio, s.linked(2, 3), func(p *post) { p.event.cost = "12.50" })
	s.special(33, t.Pair, s.linked(3, 2), func(p *post) { p.event.venues = []int{s.venues[0], s.venues[1]} })
	festival := s.special(44, t.Festival, func(p *post) {
		e := p.event
		e.allDay = true
		e.start = localTime(midnight(e.start), zone("America/New_York"))
		e.end = localTime(endOfDay(e.end.AddDate(0, 0, 2)), zone("America/New_York"))
	})
	s.special(45, t.Child, func(p *post) { p.parent = festival })
	s.special(35, t.Offset, func(p *post) {
		in, _ := eventZone("UTC+5:30")
		p.event.start, p.event.end = localTime(p.event.start, in), localTime(p.event.end, in)
	})
	s.special(365*5, t.Far)
	s.special(36, t.Instant, func(p *post) { p.event.end = p.event.start })
	s.special(37, t.Future, func(p *post) { p.status, p.date = "future", s.at(30, 9, 0) })
	s.special(38, t.AtLocked, func(p *post) { p.event.venues = []int{s.venues[locked]} })
	s.special(39, t.Contributed, func(p *post) { p.status, p.author = "draft", 4 })
	s.special(40, t.Words, symbol("Donation", s.lang.symbol))
}

// special returns an evening event so many days from today, with a change.
func (s *seeder) special(days int, title string, change ...func(*post)) int {
	start := s.at(days, 18, 0)
	p := &post{kind: eventKind, title: title, event: &eventData{
		start: start, end: start.Add(150 * time.Minute), showMap: true, mapLink: true,
	}}
	for _, f := range change {
		f(p)
	}
	return s.add(p)
}

// linked adds a venue and some organizers to the event.
func (s *seeder) linked(venue, organizers int) func(*post) {
	return func(p *post) {
		p.event.venues = []int{s.venues[venue]}
		p.event.organizers = append([]int(nil), s.organizers[:organizers]...)
		p.event.categories, p.event.tags = []int{s.categories[0], s.categories[1]}, []int{s.tags[0]}
	}
}
