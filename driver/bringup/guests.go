package bringup

import (
	"errors"
	"fmt"
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
	in     []net.Conn // oldest first
	notes  []note
	more   int // that no note was made of
}

// note remembers strangers from one host that failed in the same way.
type note struct {
	host, what string
	last       string // address
	times      int
}

func newGuests(room int) guests { return guests{room: room} }

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
	if i := slices.Index(g.in, c); i >= 0 {
		g.in = slices.Delete(g.in, i, i+1)
	}
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
	g.mu.Lock()
	defer g.mu.Unlock()
	for i := range g.notes {
		if n := &g.notes[i]; n.host == host && n.what == what {
			n.last, n.times = address, n.times+1
			return
		}
	}
	if len(g.notes) == maxNotes {
		g.more++
		return
	}
	g.notes = append(g.notes, note{host, what, address, 1})
}

// refused describes the refused strangers, "" if there were none.
func (g *guests) refused() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	var parts []string
	for _, n := range g.notes {
		text := n.last + " " + n.what
		if n.times > 1 {
			text += fmt.Sprintf(" (%d times from this host)", n.times)
		}
		parts = append(parts, text)
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
	if c.SetReadDeadline(time.Now().Add(time.Second)) != nil {
		return
	}
	var rest [4096]byte
	for range 16 {
		if _, err := c.Read(rest[:]); err != nil {
			return
		}
	}
}
