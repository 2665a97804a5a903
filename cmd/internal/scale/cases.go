package scale

import "time"

// Case is a run whose result stands in docs/scaling.md.
type Case struct {
	Group string // the table or picture that shows it
	Name  string // what differs within the group
	Setup Setup
}

// The groups.
const (
	ByInstances = "instances"
	ByFronts    = "fronts"
	ByParts     = "parts"
	ByLosses    = "losses"
)

// The names of the variants that the pictures show.
const (
	WithRedis     = "Redis"
	WithoutLeases = "Redis, no leases"
	WithoutRedis  = "no Redis"
	WithOnward    = "purged"
	WithoutOnward = "not purged"
)

// Cases returns all cases.
func Cases() []Case {
	return append(append(append(byInstances(), byFronts()...), byParts()...), byLosses()...)
}

func byInstances() (all []Case) {
	for _, n := range []int{1, 4, 16, 64, 250, 1000} {
		for _, v := range []struct {
			name              string
			noRedis, noLeases bool
		}{{WithRedis, false, false}, {WithoutLeases, false, true}, {WithoutRedis, true, false}} {
			s := Default()
			s.Instances, s.NoRedis, s.NoLeases = n, v.noRedis, v.noLeases
			all = append(all, Case{ByInstances, v.name, s})
		}
	}
	return all
}

func byFronts() (all []Case) {
	for _, n := range []int{1, 5, 20, 50, 200} {
		for _, not := range []bool{false, true} {
			s := Default()
			s.Fronts, s.NoOnward = n, not
			name := WithOnward
			if not {
				name = WithoutOnward
			}
			all = append(all, Case{ByFronts, name, s})
		}
	}
	return all
}

// whole is a setup with all parts.
func whole() Setup {
	s := Default()
	s.Fronts = 10
	return s
}

func byParts() (all []Case) {
	for _, c := range []struct {
		name   string
		change func(*Setup)
	}{
		{"all parts", func(*Setup) {}},
		{"1,000 instances, 200 caches in front", func(s *Setup) { s.Instances, s.Fronts = 1000, 200 }},
		{"an hour in the caches in front", func(s *Setup) { s.FrontLife = time.Hour }},
		{"purges sent on at once", func(s *Setup) { s.Hold = 0 }},
		{"without purges sent on", func(s *Setup) { s.NoOnward = true }},
		{"without caches in front", func(s *Setup) { s.Fronts = 0 }},
		{"without leases", func(s *Setup) { s.NoLeases = true }},
		{"without Redis", func(s *Setup) { s.NoRedis = true }},
		{"without purges", func(s *Setup) { s.NoPurges = true }},
		{"without Redis, purges and caches in front", func(s *Setup) { s.NoRedis, s.NoPurges, s.Fronts = true, true, 0 }},
	} {
		s := whole()
		c.change(&s)
		all = append(all, Case{ByParts, c.name, s})
	}
	return all
}

func byLosses() (all []Case) {
	for _, c := range []struct {
		name   string
		change func(*Setup)
	}{
		{"none lost", func(*Setup) {}},
		{"purges take up to a minute", func(s *Setup) { s.PurgeDelay = Range{time.Second, time.Minute} }},
		{"1 % of the purges lost", func(s *Setup) { s.LostPurges = 0.01 }},
		{"10 % of the purges lost", func(s *Setup) { s.LostPurges = 0.1 }},
		{"1 % lost on the way to a cache in front", func(s *Setup) { s.LostOnward = 0.01 }},
		{"10 % lost on the way to a cache in front", func(s *Setup) { s.LostOnward = 0.1 }},
		{"the same, with an hour in the caches in front", func(s *Setup) { s.LostOnward, s.FrontLife = 0.1, time.Hour }},
	} {
		s := whole()
		s.Edits, s.Measured = 3_600, 4*time.Minute // so that some of a hundred are lost
		c.change(&s)
		all = append(all, Case{ByLosses, c.name, s})
	}
	return all
}
