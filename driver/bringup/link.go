package bringup

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"time"
)

// beat is the longest time between two messages of a rank.
const beat = time.Second

// link is a connection whose ends have proved the secret to each other.
type link struct {
	conn       net.Conn
	send, recv []byte // keys
	silence    time.Duration

	mu      sync.Mutex
	closed  bool
	waiting []message
	more    chan struct{} // something waits; closed with the link

	wrote   chan struct{} // closed by the end of the writer
	end     sync.Once
	reading sync.WaitGroup
}

type message struct {
	kind    byte
	payload []byte
	written func() // called when it is, or never will be; may be nil
}

func newLink(conn net.Conn, send, recv []byte, silence time.Duration) *link {
	return &link{conn: conn, send: send, recv: recv, silence: silence, more: make(chan struct{}, 1),
		wrote: make(chan struct{})}
}

// start begins to send messages, and to call handle for received ones until it returns an
// error or the connection ends. Then it calls ended with the error.
func (l *link) start(handle func(kind byte, payload []byte) error, ended func(error)) {
	go l.write()
	l.reading.Go(func() { ended(l.read(handle)) })
}

func (l *link) read(handle func(kind byte, payload []byte) error) error {
	for n := uint64(0); ; n++ {
		if err := l.conn.SetReadDeadline(time.Now().Add(l.silence)); err != nil {
			return err
		}
		kind, payload, err := readFrame(l.conn, l.recv, n)
		if err != nil {
			return err
		}
		if kind == frameBeat {
			continue
		}
		if err := handle(kind, payload); err != nil {
			return err
		}
	}
}

// put queues a message. Points that wait go in one.
func (l *link) put(m message) {
	l.mu.Lock()
	defer l.mu.Unlock()
	last := len(l.waiting) - 1
	switch {
	case l.closed:
		if m.written != nil {
			m.written()
		}
	case m.kind == frameArrive && last >= 0 && l.waiting[last].kind == frameArrive &&
		len(l.waiting[last].payload)+len(m.payload) <= maxPayload:
		l.waiting[last].payload = append(l.waiting[last].payload, m.payload...)
	default:
		l.waiting = append(l.waiting, m)
		signal(l.more)
	}
}

// signal tells who waits for news that there are some.
func signal(news chan<- struct{}) {
	select {
	case news <- struct{}{}:
	default:
	}
}

// take takes what waits, or a beat if there is nothing until a tick; not open is the end.
func (l *link) take(tick <-chan time.Time) (all []message, open bool) {
	select {
	case <-l.more:
	case <-tick:
		return []message{{kind: frameBeat}}, true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	all, l.waiting = l.waiting, nil
	return all, !l.closed || len(all) > 0
}

// write sends queued messages, and a beat if there are none.
func (l *link) write() {
	defer close(l.wrote)
	ticker := time.NewTicker(beat)
	defer ticker.Stop()
	var buffer []byte
	n, broken := uint64(0), false
	for all, open := l.take(ticker.C); open; all, open = l.take(ticker.C) {
		for _, m := range all {
			if !broken {
				buffer = appendFrame(buffer[:0], l.send, n, m.kind, m.payload)
				n++
				err := l.conn.SetWriteDeadline(time.Now().Add(l.silence))
				if err == nil {
					_, err = l.conn.Write(buffer)
				}
				if err != nil {
					broken = true
					l.conn.Close() // the reader says so
				}
			}
			if m.written != nil {
				m.written()
			}
		}
	}
}

// finish sends the queued messages, waits for the other side to end, for at most farewell,
// and closes the connection. It returns after the reader has ended.
func (l *link) finish() { l.end.Do(l.finishOnce) }

func (l *link) finishOnce() {
	l.mu.Lock()
	if !l.closed {
		l.closed = true
		close(l.more)
	}
	l.mu.Unlock()
	abort := time.AfterFunc(farewell, func() { l.conn.Close() })
	defer abort.Stop()
	<-l.wrote
	// A connection that is closed while something is unread is reset, and the other side
	// may lose what it has not read.
	if half, can := l.conn.(interface{ CloseWrite() error }); can && half.CloseWrite() == nil {
		l.reading.Wait()
	}
	l.conn.Close()
	l.reading.Wait()
}

// why describes the end of a connection to users.
func (l *link) why(err error) string {
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return fmt.Sprintf("it has said nothing for %v", l.silence)
	case errors.Is(err, errFrame):
		return fmt.Sprintf("it sent what is %v", err)
	case errors.Is(err, errProtocol):
		return err.Error()
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed), reset(err):
		return "its connection has ended: the process has ended or was killed"
	}
	return "its connection has failed: " + err.Error()
}

var errProtocol = errors.New("it does not keep to the protocol")

// farewell is the time that the end of a connection waits for that of the other side.
const farewell = 3 * time.Second

// reset reports errors that mean that the other side is gone.
func reset(err error) bool {
	return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe)
}
