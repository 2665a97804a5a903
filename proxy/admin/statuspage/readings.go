package statuspage

import "github.com/calfacade/calfacade/proxy/telemetry"

// point is one series of a metric: its value, or of a histogram the count.
type point struct {
	label map[string]string
	value float64
	count float64

	bounds []float64 // of a histogram's buckets, in its unit
	below  []float64 // as many were at most that
}

// readings are the metrics at one time, by name.
type readings map[string][]point

// one gives the value of a metric without labels; 0 if there is none.
func (r readings) one(name string) float64 {
	if len(r[name]) == 0 {
		return 0
	}
	return r[name][0].value
}

// readSample returns what a scrape would, as far as it could be read.
func readSample(m *telemetry.Metrics) readings {
	families, _ := m.Gatherer().Gather()
	r := readings{}
	for _, f := range families {
		for _, s := range f.GetMetric() {
			p := point{label: map[string]string{}}
			for _, l := range s.GetLabel() {
				p.label[l.GetName()] = l.GetValue()
			}
			switch h := s.GetHistogram(); {
			case h != nil:
				p.count = float64(h.GetSampleCount())
				for _, b := range h.GetBucket() {
					p.bounds, p.below = append(p.bounds, b.GetUpperBound()), append(p.below, float64(b.GetCumulativeCount()))
				}
			case s.GetCounter() != nil:
				p.value = s.GetCounter().GetValue()
			default:
				p.value = s.GetGauge().GetValue()
			}
			r[f.GetName()] = append(r[f.GetName()], p)
		}
	}
	return r
}
