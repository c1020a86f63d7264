package bringup_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cclforge/cclforge/driver/bringup"
	"github.com/cclforge/cclforge/verify/conformance/internal/program"
	"github.com/cclforge/cclforge/verify/server/host"
)

const (
	size     = 4
	patience = 100 * time.Second // a busy machine takes its time
	secret   = "00112233445566778899aabbccddeeff"
)

// stage is where processes run: a namespace for each, or none.
type stage struct {
	net  *program.Net // nil without namespaces
	port int          // of rank 0
}

// stages calls a test on the stages that are to be had: the loopback device is one for
// what is not the same there, and where there are no namespaces.
func stages(t *testing.T, loopback bool, test func(t *testing.T, s *stage)) {
	t.Helper()
	if loopback || program.NetMissing() != "" {
		t.Run("loopback", func(t *testing.T) {
			t.Parallel()
			port, err := host.FreePorts(1)
			if err != nil {
				t.Fatal(err)
			}
			test(t, &stage{port: port})
		})
	}
	t.Run("namespaces", func(t *testing.T) {
		t.Parallel()
		if lacks := program.NetMissing(); lacks != "" {
			t.Skipf("network namespaces need %s", lacks)
		}
		net, err := program.NewNet(size)
		if errors.Is(err, program.ErrUnsupported) {
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
		test(t, &stage{net: net, port: bringup.DefaultPort})
	})
}

// address is that of the process in a place.
func (s *stage) address(place int) netip.Addr {
	if s.net == nil {
		return netip.AddrFrom4([4]byte{127, 0, 0, 1})
	}
	return s.net.Address(place)
}

func (s *stage) meet() string { return netip.AddrPortFrom(s.address(0), uint16(s.port)).String() }

// actor is a process.
type actor struct {
	t     *testing.T
	name  string
	cmd   *exec.Cmd
	input io.WriteCloser

	mu    sync.Mutex
	said  []string
	heard chan struct{} // closed and replaced at each line
	gone  chan struct{} // closed at the end
}

// environment is this one without variables that say ranks.
func environment(more ...string) []string {
	env := slices.DeleteFunc(os.Environ(), func(v string) bool {
		return slices.ContainsFunc([]string{"CCLFORGE_", "OMPI_", "PMI", "SLURM_"},
			func(p string) bool { return strings.HasPrefix(v, p) })
	})
	return append(env, more...)
}

func (r role) variable(t *testing.T) string {
	t.Helper()
	if r.Timeout == 0 {
		r.Timeout = patience
	}
	if r.Hash == "" {
		r.Hash = "aa"
	}
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return roleVariable + "=" + string(text)
}

// start starts a rank in a place.
func (s *stage) start(t *testing.T, place, rank int, r role, more ...string) *actor {
	t.Helper()
	command := []string{os.Args[0]}
	if s.net != nil {
		command = s.net.Command(place, command...)
	}
	env := environment(r.variable(t), bringup.EnvRank+"="+strconv.Itoa(rank), bringup.EnvSize+"="+strconv.Itoa(size),
		bringup.EnvMeet+"="+s.meet(), bringup.EnvSecret+"="+secret)
	a := &actor{t: t, name: fmt.Sprintf("rank %d in place %d", rank, place), heard: make(chan struct{}),
		gone: make(chan struct{})}
	a.cmd = exec.Command(command[0], command[1:]...)
	a.cmd.Env = append(env, more...) // later ones win
	a.cmd.Stderr = os.Stderr
	var err error
	if a.input, err = a.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	output, err := a.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := a.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go a.listen(output)
	t.Cleanup(func() {
		a.cmd.Process.Kill()
		<-a.gone
	})
	return a
}

func (a *actor) listen(output io.Reader) {
	defer close(a.gone)
	for lines := bufio.NewScanner(output); lines.Scan(); {
		a.mu.Lock()
		a.said = append(a.said, lines.Text())
		close(a.heard)
		a.heard = make(chan struct{})
		a.mu.Unlock()
	}
	a.cmd.Wait() // what it says is what counts
}

// wait waits until the process has said something.
func (a *actor) wait(line string) {
	a.t.Helper()
	limit := time.After(patience)
	for {
		a.mu.Lock()
		said, heard := slices.Clone(a.said), a.heard
		a.mu.Unlock()
		if slices.Contains(said, line) {
			return
		}
		select {
		case <-heard:
		case <-a.gone:
			a.mu.Lock()
			last := slices.Contains(a.said, line)
			a.mu.Unlock()
			if !last {
				a.t.Fatalf("%s has ended without %q: %q", a.name, line, said)
			}
		case <-limit:
			a.t.Fatalf("%s does not say %q: %q", a.name, line, said)
		}
	}
}

// say gives the process a line.
func (a *actor) say(line string) {
	a.t.Helper()
	if _, err := io.WriteString(a.input, line+"\n"); err != nil {
		a.t.Errorf("%s: %v", a.name, err)
	}
}

// kill ends a process as nothing else does.
func (a *actor) kill() {
	a.t.Helper()
	if err := a.cmd.Process.Kill(); err != nil {
		a.t.Errorf("%s: %v", a.name, err)
	}
	<-a.gone
}

// end is how a process has ended.
func (a *actor) end() string {
	a.t.Helper()
	select {
	case <-a.gone:
	case <-time.After(patience):
		a.t.Fatalf("%s does not end: %q", a.name, a.said)
	}
	text, found := "", false
	if n := len(a.said); n > 0 {
		text, found = strings.CutPrefix(a.said[n-1], "end ")
	}
	if !found {
		a.t.Fatalf("%s has ended with %q", a.name, a.said)
	}
	return text
}

// same checks that all processes end with the same, which has all of the texts.
func same(t *testing.T, actors []*actor, texts ...string) {
	t.Helper()
	first := actors[0].end()
	for _, a := range actors {
		if got := a.end(); got != first {
			t.Errorf("%s: %q; %s has %q", a.name, got, actors[0].name, first)
		}
	}
	for _, text := range texts {
		if !strings.Contains(first, text) {
			t.Errorf("%q; expected is %q", first, text)
		}
	}
}
