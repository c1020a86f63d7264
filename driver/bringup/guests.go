package bringup

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"slices"
	"strings"
	"sync"
	"time"
)

// Bounds of what is done for connections before they have proved who they are.
const (
	spareGuests = 8 // more than there are ranks
	proveLimit  = 10 * time.Second
	maxNotes    = 8 // kinds of strangers that are remembered
)

// guests are connections that have not proved the secret yet. If there are too many, the
// oldest is closed: ranks need only a moment, so silent strangers are the oldest.
type guests struct {
	mu     sync.Mutex
	room   int
	closed bool
	in     []net.Conn     // oldest first
	notes  map[string]int // how often hosts have failed in some way
	more   int            // that no note was made of
}

func (g *guests) enter(c net.Conn) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		c.Close()
		return false
	}
	if len(g.in) == g.room {
		g.in[0].Close()
		g.in = g.in[1:]
	}
	g.in = append(g.in, c)
	return true
}

func (g *guests) leave(c net.Conn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.in = slices.DeleteFunc(g.in, func(in net.Conn) bool { return in == c })
}

// close ends all connections, also those to come.
func (g *guests) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = true
	for _, c := range g.in {
		c.Close()
	}
}

// refuse remembers a stranger.
func (g *guests) refuse(address string, err error) {
	var other versionError
	what := "said nothing of use"
	switch {
	case errors.Is(err, errWrong):
		what = "has another secret or job"
	case errors.As(err, &other):
		what = "speaks " + other.Error()
	}
	host, _, _ := net.SplitHostPort(address)
	note := host + " " + what
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.notes) == maxNotes && g.notes[note] == 0 {
		g.more++
		return
	}
	g.notes[note]++
}

// refused describes the refused strangers, "" if there were none.
func (g *guests) refused() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	var parts []string
	for _, note := range slices.Sorted(maps.Keys(g.notes)) {
		parts = append(parts, fmt.Sprintf("%s (%d times)", note, g.notes[note]))
	}
	if g.more > 0 {
		parts = append(parts, fmt.Sprintf("%d more", g.more))
	}
	if len(parts) == 0 {
		return ""
	}
	return "; sent away were: " + strings.Join(parts, "; ")
}

// serve takes connections until the listener is closed.
func (h *hub) serve() {
	pause := shortestPause
	for {
		c, err := h.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			time.Sleep(pause) // too many files are open, for example
			pause = min(2*pause, longestPause)
			continue
		}
		pause = shortestPause
		if h.guests.enter(c) {
			h.group.Go(func() { h.prove(c) })
		}
	}
}

// prove lets a connection prove the secret, and admits or refuses it.
func (h *hub) prove(c net.Conn) {
	address := c.RemoteAddr().String()
	err := c.SetDeadline(time.Now().Add(proveLimit))
	if err == nil {
		var rank, size uint32
		var k keys
		var answer []byte
		if rank, size, k, answer, err = verify(c, h.key); err == nil {
			h.guests.leave(c)
			h.admit(c, address, rank, size, k, answer)
			return
		}
	}
	h.guests.leave(c)
	h.guests.refuse(address, err)
	if errors.Is(err, errWrong) {
		if _, err := c.Write(make([]byte, answerBytes)); err != nil {
			c.Close()
			return
		}
	}
	// What the other side has been told must not be lost by a reset.
	if half, can := c.(interface{ CloseWrite() error }); can && half.CloseWrite() == nil &&
		(errors.Is(err, errWrong) || errors.As(err, new(versionError))) {
		drain(c)
	}
	c.Close()
}

// drain reads the little that is still to come.
func drain(c net.Conn) {
	if c.SetReadDeadline(time.Now().Add(time.Second)) == nil {
		io.CopyN(io.Discard, c, 64<<10)
	}
}
