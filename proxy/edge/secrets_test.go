package edge

import (
	"net/netip"
	"testing"
	"time"

	"go.uber.org/zap"
)

// TestSecretsByPlace: guesses at one place do not lock another.
func TestSecretsByPlace(t *testing.T) {
	s := NewSecrets(zap.NewNop(), time.Now)
	client := netip.MustParseAddr("192.0.2.1")
	for range maxWrong {
		if ok, wait := s.Check("tester", client, "guess", "right"); ok || wait > 0 {
			t.Fatal(ok, wait)
		}
	}
	if ok, wait := s.Check("tester", client, "right", "right"); ok || wait == 0 {
		t.Errorf("the place of the guesses: %t, wait %s", ok, wait)
	}
	if ok, wait := s.Check("purge", client, "right", "", "right"); !ok || wait > 0 {
		t.Errorf("another place: %t, wait %s", ok, wait)
	}
	if ok, _ := s.Check("purge", client, "", "", "right"); ok {
		t.Error("an empty secret is accepted")
	}
}
