package scale

import (
	"fmt"
	"math"
	"sort"
)

// pages are what clients can request: the items in each language, and pages of lists.
type pages struct {
	setup  Setup
	all    []page
	shares []float64        // cumulative, of the items
	tagged map[string][]int // the pages with a tag, by ID
}

// page is one of them.
type page struct {
	id   int
	item int // -1 for a page of a list
	key  string
	tags []string
}

func newPages(s Setup) *pages {
	p := &pages{setup: s, shares: zipf(s.Items, s.Skew), tagged: map[string][]int{}}
	for item := range s.Items {
		tags := []string{itemTag(item)}
		for language := range s.Languages {
			p.all = append(p.all, page{len(p.all), item, fmt.Sprintf("%d/events/%d", language, item), tags})
		}
	}
	for language := range s.Languages {
		tags := []string{listTag(language)}
		for n := range s.Pages {
			p.all = append(p.all, page{len(p.all), -1, fmt.Sprintf("%d/events?page=%d", language, n), tags})
		}
	}
	for _, page := range p.all {
		for _, t := range page.tags {
			p.tagged[t] = append(p.tagged[t], page.id)
		}
	}
	return p
}

func itemTag(item int) string     { return fmt.Sprintf("events:%d", item) }
func listTag(language int) string { return fmt.Sprintf("%d:events", language) }

// changed returns the tags of what an edit of the item changes: the item, and all lists.
func (p *pages) changed(item int) []string {
	tags := []string{itemTag(item)}
	for language := range p.setup.Languages {
		tags = append(tags, listTag(language))
	}
	return tags
}

// requested returns the page of a request, for three numbers in [0, 1).
func (p *pages) requested(list, which, language float64) *page {
	s := p.setup
	in := int(language * float64(s.Languages))
	if list < s.Lists {
		return &p.all[s.Items*s.Languages+in*s.Pages+int(which*float64(s.Pages))]
	}
	return &p.all[p.item(which)*s.Languages+in]
}

// item returns an item, the popular ones more often.
func (p *pages) item(roll float64) int { return sort.SearchFloat64s(p.shares, roll) % p.setup.Items }

// zipf returns the cumulative shares of n items, of which the k-th has a share in proportion
// to 1/k^skew.
func zipf(n int, skew float64) []float64 {
	shares, sum := make([]float64, n), 0.0
	for k := range shares {
		sum += math.Pow(float64(k+1), -skew)
		shares[k] = sum
	}
	for k := range shares {
		shares[k] /= sum
	}
	return shares
}
