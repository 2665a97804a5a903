package sim

import "regexp"

var wpRoute = regexp.MustCompile(`^/wp/v2/(tribe_events_cat|tags|media)(?:/(\d+))?$`)

// wp answers for terms and images with WordPress's own API. ok is false for a path
// that is neither's.
func (c *call) wp(route string) (a *answer, ok bool, err error) {
	m := wpRoute.FindStringSubmatch(route)
	if m == nil {
		return nil, false, nil
	}
	if err := c.merge(params{}); err != nil {
		return nil, true, err
	}
	if m[1] == "media" {
		a, err = c.wpMedia(m[2])
		return a, true, err
	}
	d := tagDef
	if m[1] == categoryDef.restBase {
		d = categoryDef
	}
	a, err = c.wpTerms(d, m[2])
	return a, true, err
}
