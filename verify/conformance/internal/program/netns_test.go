package program

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

func open(t *testing.T, n int) *Net {
	t.Helper()
	if lacks := NetMissing(); lacks != "" {
		t.Skipf("network namespaces need %s", lacks)
	}
	net, err := NewNet(n)
	if errors.Is(err, ErrUnsupported) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := net.Close(); err != nil {
			t.Error(err)
		}
	})
	return net
}

func TestNamespacesReachEachOtherAndTheCallerAndLosePackets(t *testing.T) {
	net := open(t, 2)
	sh, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("the test needs bash")
	}
	// Nobody listens: a connection that is refused is one that has come there.
	refused := func(command ...string) bool {
		out, err := exec.Command(command[0], command[1:]...).CombinedOutput()
		return err != nil && strings.Contains(string(out), "refused")
	}
	dial := func(to fmt.Stringer) []string {
		return []string{sh, "-c", fmt.Sprintf("exec timeout 0.3 %s -c 'echo >/dev/tcp/%s/7777'", sh, to)}
	}
	all := func(want bool) {
		t.Helper()
		for name, command := range map[string][]string{
			"the caller to 0": dial(net.Address(0)),
			"1 to 0":          net.Command(1, dial(net.Address(0))...),
			"0 to itself":     net.Command(0, dial(net.Address(0))...),
		} {
			if got := refused(command...); got != want {
				t.Errorf("%s: reached %v, not %v", name, got, want)
			}
		}
		if !refused(net.Command(0, dial(net.Caller())...)...) || !refused(net.Command(0, dial(net.Address(1))...)...) {
			t.Error("0 does not reach the others")
		}
	}
	for end := time.Now().Add(5 * time.Second); !refused(dial(net.Address(0))...) && time.Now().Before(end); {
		time.Sleep(20 * time.Millisecond) // until the bridge knows its ports
	}
	all(true)
	if err := net.Lose(0, "tcp", []uint16{7777}, 100); err != nil {
		t.Fatal(err)
	}
	// What 0 sends to others is not lost, but their answers are.
	if refused(dial(net.Address(0))...) || refused(net.Command(0, dial(net.Address(1))...)...) {
		t.Error("packets are not lost")
	}
	if lost, err := net.Lost(0); err != nil || lost < 2 {
		t.Errorf("%d packets were lost, %v", lost, err)
	}
	if err := net.Keep(0); err != nil {
		t.Fatal(err)
	}
	all(true)
}

// Two networks of a process, and those that a process has left behind.
func TestNamespacesDoNotCollide(t *testing.T) {
	a, b := open(t, 1), open(t, 1)
	if a.Address(0) == b.Address(0) || a.names[0] == b.names[0] {
		t.Errorf("%v and %v", a, b)
	}
	gone := exec.Command("true")
	if err := gone.Run(); err != nil {
		t.Fatal(err)
	}
	stale := fmt.Sprintf("%s%d-1-hub", mark, gone.Process.Pid)
	if err := ip("netns", "add", stale); err != nil {
		t.Fatal(err)
	}
	open(t, 1)
	out, err := exec.Command("ip", "netns", "list").Output()
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(out), stale) {
		t.Errorf("%s is still there", stale)
	}
	for _, name := range append(a.names, b.names...) {
		if !strings.Contains(string(out), name) {
			t.Errorf("%s of process %d is gone", name, os.Getpid())
		}
	}
}
