package onward

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/cache/redisstore"
)

// Letter is a delivery that the target has refused for good.
type Letter struct {
	Time   time.Time `json:"time"` // of the refusal
	Status int       `json:"status"`
	Purges int       `json:"purges"`
	All    bool      `json:"all"`
	Soft   bool      `json:"soft"`
	Tags   []string  `json:"tags"`
}

func letterOf(b batch, o outcome) Letter {
	l := Letter{Time: time.Now().UTC(), Status: o.status, Purges: b.count, All: b.All, Soft: b.Soft, Tags: b.Tags}
	if l.Tags == nil {
		l.Tags = []string{}
	}
	return l
}

// overflow is what replaces the letters beyond the limit: everything.
func (l Letter) overflow() Letter {
	l.All, l.Soft, l.Tags = true, false, []string{}
	return l
}

func (l Letter) encode() []byte {
	data, err := json.Marshal(l)
	if err != nil {
		panic("BUG: no JSON: " + err.Error())
	}
	return data
}

func (l Letter) purge() cache.Purge { return cache.Purge{Tags: l.Tags, All: l.All, Soft: l.Soft} }

// rejectionOf returns the letter for Redis.
func rejectionOf(l Letter) redisstore.Rejection {
	return redisstore.Rejection{Record: l.encode(), All: l.overflow().encode()}
}

// keep adds a letter to those in memory.
func (c *courier) keep(l Letter) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.letters = append(c.letters, l.encode()); len(c.letters) > redisstore.MaxRejected {
		c.letters = [][]byte{l.overflow().encode()}
	}
}

// read returns what the target has refused, the oldest first, and the records of that.
func (c *courier) read(ctx context.Context) (letters []Letter, records [][]byte) {
	c.mu.Lock()
	records = slices.Clone(c.letters)
	c.mu.Unlock()
	if c.shared != nil {
		if shared, err := c.shared.Rejected(ctx, c.target.Name); err == nil {
			records = append(shared, records...)
		}
	}
	letters = []Letter{}
	for _, r := range records {
		l := Letter{All: true}
		_ = json.Unmarshal(r, &l) // what cannot be read may have been anything
		letters = append(letters, l)
	}
	return letters, records
}

// forget removes letters.
func (c *courier) forget(ctx context.Context, records [][]byte) {
	c.mu.Lock()
	c.letters = slices.DeleteFunc(c.letters, func(l []byte) bool {
		return slices.ContainsFunc(records, func(r []byte) bool { return string(r) == string(l) })
	})
	c.mu.Unlock()
	if c.shared != nil {
		_ = c.shared.Forget(ctx, c.target.Name, records) // if it fails they are sent once more
	}
}
