package testwait

import (
	"os"
	"syscall"
	"testing"
)

// Signal sends a signal to a child process. It returns once SIGSTOP has stopped it: until then its
// threads run on.
func Signal(t testing.TB, p *os.Process, sig syscall.Signal) {
	t.Helper()
	if err := p.Signal(sig); err != nil {
		t.Errorf("signal %v: %v", sig, err)
		return
	}
	if sig != syscall.SIGSTOP {
		return
	}
	err := error(syscall.EINTR)
	for err == syscall.EINTR {
		_, err = syscall.Wait4(p.Pid, nil, syscall.WUNTRACED, nil)
	}
	if err != nil {
		t.Errorf("wait until process %d has stopped: %v", p.Pid, err)
	}
}
