package freshness_test

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/proxy/freshness"
)

// TestKeysMeet: a purge that has a tag of a response has one of its keys, and
// a response has no more keys than the limit and always the key of all.
func TestKeysMeet(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 2_000 {
		k := freshness.Keys{Prefix: []string{"", "site-2"}[random.IntN(2)]}
		tags := randomTags(random, random.IntN(400))
		purged := randomTags(random, random.IntN(10))
		keys := k.Of(tags)
		purgedKeys := k.PurgedKeys(purged)
		if len(keys) > 128 {
			t.Fatalf("%+v: %d keys of %q: %q", k, len(keys), tags, keys)
		}
		if !slices.Contains(keys, k.All()) || !isSet(keys) || !isSet(purgedKeys) {
			t.Fatalf("%+v: keys %q, purged %q", k, keys, purgedKeys)
		}
		if meet(tags, purged) && !meet(keys, purgedKeys) {
			t.Fatalf("%+v: %q and %q have no key in common: %q and %q", k, tags, purged, keys, purgedKeys)
		}
	}
}

func randomTags(random *rand.Rand, n int) []string {
	tags := make([]string, n)
	for i := range tags {
		tags[i] = []string{
			"events:" + strconv.Itoa(random.IntN(100)), "venues:" + strconv.Itoa(random.IntN(100)),
			"de:events:" + strconv.Itoa(random.IntN(100)), "events:any", "events:occurrence", "es:events",
			"en:venues", "tags:" + strings.Repeat("7", random.IntN(90)), " ,\n", "",
		}[random.IntN(10)]
	}
	return tags
}

func meet(a, b []string) bool {
	return slices.ContainsFunc(a, func(s string) bool { return slices.Contains(b, s) })
}

func isSet(keys []string) bool {
	sorted := slices.Sorted(slices.Values(keys))
	return len(slices.Compact(sorted)) == len(keys)
}

// TestKeys: tags are keys themselves while there is room, and after that everything is in a bucket.
func TestKeys(t *testing.T) {
	tags := []string{"en:events", "events:12", "events:13", "events:14", "events:any", "venues:7"}
	for keys, want := range map[freshness.Keys]string{
		{}:              "all en:events events:12 events:13 events:14 events:any venues:7",
		{Prefix: "one"}: "one.all one.en:events one.events:12 one.events:13 one.events:14 one.events:any one.venues:7",
	} {
		if diff := cmp.Diff(want, strings.Join(keys.Of(tags), " ")); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", keys, diff)
		}
	}
	for i := range 127 {
		tags = append(tags, "tags:"+strconv.Itoa(i))
	}
	bucketed := regexp.MustCompile(`^all( b64-\d+){2,64}$`)
	if got := strings.Join(freshness.Keys{}.Of(tags), " "); !bucketed.MatchString(got) {
		t.Errorf("keys of many tags: %s", got)
	}
	if got := (freshness.Keys{}).PurgedKeys(nil); len(got) > 0 {
		t.Errorf("a purge of nothing purges %q", got)
	}
}

// keyPattern matches keys that no cache in front needs quoted: not between spaces or commas, and not in
// the path of a URL.
var keyPattern = regexp.MustCompile(`^[A-Za-z0-9._:-]{1,90}$`)

// FuzzKeys: any text is a tag of safe keys.
func FuzzKeys(f *testing.F) {
	for _, tag := range []string{
		"events:12", "es:events", "events:any", "", "a b", "a,b", "ä", "a\nb", "b64-1", strings.Repeat("x", 65), "x.y",
	} {
		f.Add(tag, 1)
		f.Add(tag, 200)
	}
	f.Fuzz(func(t *testing.T, tag string, n int) {
		k := freshness.Keys{}
		tags := []string{tag}
		for i := range n % 300 {
			tags = append(tags, "events:"+strconv.Itoa(i))
		}
		keys := k.Of(tags)
		purgedKeys := k.PurgedKeys([]string{tag})
		for _, key := range slices.Concat(keys, purgedKeys) {
			if !keyPattern.MatchString(key) {
				t.Errorf("key %q of %q", key, tag)
			}
		}
		if !meet(keys, purgedKeys) {
			t.Errorf("%q: keys %q, purged %q", tag, keys, purgedKeys)
		}
	})
}
