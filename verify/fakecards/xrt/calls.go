package xrt

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"
)

// ErrFunction says that the library has no such function.
var ErrFunction = errors.New("no such function of XRT")

// maxCalls is how many calls are kept; the oldest go first.
const maxCalls = 1 << 18

// Call is a call of a function of the library by a process, or several equal ones in a row.
type Call struct {
	Process   int    // its id
	Function  string // "xrtBOAlloc"
	Arguments []uint64
	Name      string // for functions that take one: of a card, or of a kernel's instance
	Result    uint64
	Err       syscall.Errno // 0 for success
	Times     int
}

// String is "xrtBOAlloc(0x1001, 4096, 0, 2) = 0x2003", with its error if it has failed.
func (c Call) String() string {
	var arguments []string
	for i, a := range c.Arguments {
		form := "%d"
		if i == 0 && a > 1 {
			form = "0x%X"
		}
		arguments = append(arguments, fmt.Sprintf(form, a))
	}
	if c.Name != "" {
		arguments = append(arguments, fmt.Sprintf("%q", c.Name))
	}
	text := fmt.Sprintf("%s(%s)", c.Function, strings.Join(arguments, ", "))
	if c.Err != 0 {
		text += fmt.Sprintf(" failed: %v", c.Err)
	} else {
		text += fmt.Sprintf(" = 0x%X", c.Result)
	}
	if c.Times > 1 {
		text += fmt.Sprintf(", %d times", c.Times)
	}
	return text
}

type planned struct {
	function function
	in       int // calls
	err      syscall.Errno
}

// Calls returns the calls of all processes, oldest first.
func (s *Server) Calls() []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := slices.Clone(s.calls)
	for i := range out {
		out[i].Arguments = slices.Clone(out[i].Arguments)
	}
	return out
}

// Forget empties the list of calls.
func (s *Server) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = nil
}

// record notes a call; s.mu is held.
func (s *Server) record(p *process, q request, r reply) {
	known := names[q.function]
	c := Call{Process: p.id, Function: known.name, Arguments: q.arguments[:known.arguments], Result: r.value,
		Err: r.err, Times: 1}
	if q.function == deviceOpenByBDF || q.function == ipNameToIndex {
		c.Name = string(q.payload)
	}
	if n := len(s.calls); n > 0 {
		last := &s.calls[n-1]
		if last.Process == c.Process && last.Function == c.Function && last.Name == c.Name && last.Result == c.Result &&
			last.Err == c.Err &&
			slices.Equal(last.Arguments, c.Arguments) {
			last.Times++
			return
		}
	}
	if len(s.calls) >= maxCalls {
		s.calls = slices.Delete(s.calls, 0, maxCalls/2)
	}
	c.Arguments = slices.Clone(c.Arguments)
	s.calls = append(s.calls, c)
}

// Fail makes the nth call of a function from now fail, whoever makes it; the next one is 1.
// The call has no effect and returns what XRT returns for the error. The error of Fail is
// ErrFunction for functions that the library does not have.
func (s *Server) Fail(name string, nth int, err syscall.Errno) error {
	for i, f := range names {
		if f.name != name || name == "" {
			continue
		}
		if nth < 1 || err == 0 {
			return fmt.Errorf("fail call %d of %s with error %d: both count from 1", nth, name, err)
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.failures = append(s.failures, planned{function(i), nth, err})
		return nil
	}
	return fmt.Errorf("%w: %s", ErrFunction, name)
}

// fails is how a call is to fail, 0 for not at all.
func (s *Server) fails(f function) (err syscall.Errno) {
	s.mu.Lock()
	defer s.mu.Unlock()
	kept := s.failures[:0]
	for _, p := range s.failures {
		if p.function == f {
			p.in--
		}
		if p.in > 0 {
			kept = append(kept, p)
		} else if err == 0 {
			err = p.err
		}
	}
	s.failures = kept
	return err
}

// Kinds of what processes hold.
const (
	Device  = "device"
	Context = "context"
	Buffer  = "buffer"
	Map     = "map"
)

// Leak is something that a process has not released.
type Leak struct {
	Process int
	Ended   bool   // the process has ended, or its connection: it was given back for it
	Kind    string // Device, Context, Buffer or Map
	Card    string // its BDF
	What    string
}

// String is "process 7 holds the context ccl_offload:ccl_offload_0 on 0000:65:00.1".
func (l Leak) String() string {
	verb := "holds"
	if l.Ended {
		verb = "has ended with"
	}
	return fmt.Sprintf("process %d %s the %s %s on %s", l.Process, verb, l.Kind, l.What, l.Card)
}

// Leaks returns what processes hold now, and what ended processes held at their end.
func (s *Server) Leaks() []Leak {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := slices.Clone(s.left)
	for p := range s.processes {
		out = append(out, p.held(false)...)
	}
	slices.SortStableFunc(out, func(a, b Leak) int { return a.Process - b.Process })
	return out
}

// Faults returns invalid requests, which XRT's library would not make, and calls of kernels
// that nothing runs.
func (s *Server) Faults() []error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.faults)
}

func (s *Server) fault(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.report(err)
}

// report is fault where the lock is held.
func (s *Server) report(err error) { s.faults = append(s.faults, err) }
