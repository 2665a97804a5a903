package testwait

import (
	"bytes"
	"os"
	"os/exec"
	"testing"
)

// Alone runs the test in a process of its own, whose heap no other test has a part in: timers of others
// may keep their data for minutes. It reports whether this is that process.
func Alone(t *testing.T) bool {
	t.Helper()
	const mark = "CALFACADE_TEST_ALONE"
	if os.Getenv(mark) == t.Name() {
		return true
	}
	cmd := exec.Command(os.Args[0], "-test.run", "^"+t.Name()+"$", "-test.v") // #nosec G204 -- this program
	cmd.Env = append(os.Environ(), mark+"="+t.Name())
	out, err := cmd.CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("--- PASS: "+t.Name())) {
		t.Errorf("%v\n%s", err, out)
	}
	return false
}
