package mappingtest

import "regexp"

// draftType matches the post type in the URL of a page that is not published.
var draftType = regexp.MustCompile(`([?&])post_type=tribe_(?:events|venue|organizer)(?:&(?:amp;|#038;)?|$)`)

// WithoutDraftType returns the URL of a page without the vendor's post type. The URL of an unpublished page has the
// type, and the site has no other URL of the page. The rest must show nothing of the vendor.
func WithoutDraftType(page string) string { return draftType.ReplaceAllString(page, "$1") }
