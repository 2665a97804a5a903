package cache

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func fullEntry() *Entry {
	return &Entry{
		Status: 200, ETag: `"abc"`, Body: []byte("body"), Gzip: []byte{1, 2, 0}, Tags: []string{"es:events", "events:5"},
		Fields: []Field{{
			Name:   "Allow",
			Values: []string{"GET"},
		}, {Name: "Link", Values: []string{"a", ""}}},
		Life:     Life{Fresh: time.Minute, StaleWhileRevalidate: time.Hour, StaleIfError: 24 * time.Hour},
		Aged:     80 * time.Second,
		Position: 1 << 60,
	}
}

func TestCodec(t *testing.T) {
	for _, want := range []*Entry{fullEntry(), {}, {Status: hitForMiss, Life: Life{Fresh: time.Second}}} {
		stored := time.UnixMilli(1_800_000_000_123)
		got, stamp, err := Decode("key", Encode("key", want, stored))
		if err != nil || !stamp.Equal(stored) {
			t.Fatal(stamp, err)
		}
		if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Entry{}), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

// TestDecodeForeign: data that is damaged in any bit, truncated anywhere, or of another key
// is refused.
func TestDecodeForeign(t *testing.T) {
	data := Encode("key", fullEntry(), time.Now())
	if _, _, err := Decode("other", data); !errors.Is(err, ErrForeign) {
		t.Errorf("another key: %v", err)
	}
	for i := range data {
		damaged := bytes.Clone(data)
		damaged[i] ^= 0x10
		if _, _, err := Decode("key", damaged); !errors.Is(err, ErrForeign) {
			t.Errorf("byte %d damaged: %v", i, err)
		}
		if _, _, err := Decode("key", data[:i]); !errors.Is(err, ErrForeign) {
			t.Errorf("cut at %d: %v", i, err)
		}
	}
}

// TestDecodeStatus: an entry with a status that is not stored is forged, and a miss.
func TestDecodeStatus(t *testing.T) {
	for status, want := range map[int]error{
		-1: ErrForeign, hitForMiss: nil, 100: ErrForeign, 200: nil, 204: ErrForeign, 304: ErrForeign, 400: nil, 404: nil, 600: ErrForeign,
	} {
		if _, _, err := Decode("key", Encode("key", &Entry{Status: status}, time.Now())); !errors.Is(err, want) {
			t.Errorf("%d: %v", status, err)
		}
	}
}

// TestDecodeOldVersion: entries of earlier versions have other tags, so that purges would miss
// them.
func TestDecodeOldVersion(t *testing.T) {
	data := Encode("key", fullEntry(), time.Now())
	data = data[:len(data)-checksumSize]
	for old, sum := range map[string]uint64{"cfe8": xxhash.Sum64(data), "cfe9": xxhash.Sum64String("cfe9"+"key") ^ xxhash.Sum64(data)} {
		_, _, err := Decode("key", binary.LittleEndian.AppendUint64(slices.Clip(data), sum))
		if errors.Is(err, ErrForeign) != (old != version) {
			t.Errorf("%s: %v", old, err)
		}
	}
}

// TestDecodeRoom: an entry weighs as much as the data that it was read from, whatever room there is behind that.
func TestDecodeRoom(t *testing.T) {
	data := Encode("key", fullEntry(), time.Now())
	e, _, err := Decode("key", append(make([]byte, 0, 1<<20), data...))
	if err != nil || int(e.weight("key")) > 10*len(data) {
		t.Errorf("%d bytes weigh %d: %v", len(data), e.weight("key"), err)
	}
}

// FuzzDecode calls Decode with bytes whose checksum is right, as only a bug or an attacker
// produces them. It may refuse them, and must not panic or allocate more memory than they
// need.
func FuzzDecode(f *testing.F) {
	f.Add(Encode("key", fullEntry(), time.Now()))
	f.Add(Encode("key", &Entry{}, time.Now()))
	f.Fuzz(func(t *testing.T, data []byte) {
		e, _, err := Decode("key", data)
		if err == nil && int(e.weight("")) > 10*len(data)+1000 {
			t.Fatalf("%d bytes become %d", len(data), int(e.weight("")))
		}
		if len(data) < checksumSize+len(version) {
			return
		}
		e, _, err = Decode("key", binary.LittleEndian.AppendUint64(slices.Clip(data), checksum("key", data)))
		if err == nil && int(e.weight("")) > 100*len(data)+1000 {
			t.Fatalf("%d bytes become %d", len(data), int(e.weight("")))
		}
	})
}
