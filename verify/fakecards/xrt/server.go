// Package xrt is a host with modelled Alveo cards, for programs that use XRT. A shared
// library in the place of libxrt_coreutil and libxrt_core, built from library/, hands every
// call to a Server with emulated or simulated engines. The server fails as XRT does, records
// its calls, fails on request, and reports what a process has not released.
//
// What differs from cards: loading an .xclbin does not reset the engine. A kernel without an
// engine and without a model is plain memory. Buffers in host memory are shared by engine and
// host where the engine is an engine.HostSharer; otherwise, and always for peer-to-peer
// buffers, they are copied when a call begins or ends, and by xrtBOSync.
package xrt

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync"
)

// Server is the modelled cards of a host. Its methods may be called concurrently.
type Server struct {
	dir      string
	listener *net.UnixListener
	life     context.Context
	end      context.CancelFunc
	serving  sync.WaitGroup

	mu        sync.Mutex
	slots     []*slot
	processes map[*process]bool
	handles   uint64 // the last that was given
	calls     []Call
	failures  []planned
	left      []Leak
	faults    []error
	closed    bool
}

// process is what one process has, which is at the other end of a connection.
type process struct {
	id      int
	opened  []*opened
	buffers map[uint64]*buffer
}

// opened is a card that a process has opened, known by one handle to the functions
// xrt…, and by another to the functions xcl….
type opened struct {
	handle, xcl uint64
	slot        *slot
}

// Serve serves cards until the server is closed, which leaves their engines running. It
// needs a C compiler: the error matches ErrCompiler if there is none.
func Serve(ctx context.Context, cards []Card) (*Server, error) {
	dir, err := os.MkdirTemp("", "xrt") // paths of sockets must be short
	if err != nil {
		return nil, err
	}
	s := &Server{dir: dir, processes: map[*process]bool{}, handles: 0x1000}
	s.life, s.end = context.WithCancel(context.Background())
	if err := s.start(ctx, cards); err != nil {
		s.end()
		return nil, errors.Join(fmt.Errorf("play cards: %w", err), os.RemoveAll(dir))
	}
	return s, nil
}

func (s *Server) start(ctx context.Context, cards []Card) error {
	if err := InstallLibrary(ctx, s.dir); err != nil {
		return err
	}
	for i, c := range cards {
		if c.BDF == "" {
			c.BDF = fmt.Sprintf("0000:%02x:00.1", 0x17+i)
		}
		slot := &slot{Card: c, s: s}
		s.slots = append(s.slots, slot)
		if c.Loaded == nil {
			continue
		}
		next, err := slot.parse(c.Loaded)
		if err != nil {
			return fmt.Errorf("card %s: %w", c.BDF, err)
		}
		slot.take(next)
	}
	var err error
	if s.listener, err = net.ListenUnix("unix", &net.UnixAddr{Name: s.Socket(), Net: "unix"}); err != nil {
		return err
	}
	s.serving.Go(s.accept)
	return nil
}

// Dir returns the directory of the libraries, under XRT's names: programs find them by
// LD_LIBRARY_PATH, and they connect to this server.
func (s *Server) Dir() string { return s.dir }

// Socket returns the path of the server's socket, for Variable.
func (s *Server) Socket() string { return filepath.Join(s.dir, Socket) }

// BDFs returns the PCIe addresses of the cards.
func (s *Server) BDFs() []string {
	out := make([]string, len(s.slots))
	for i, c := range s.slots {
		out[i] = c.BDF
	}
	return out
}

// Close ends all connections. Engines are not closed.
func (s *Server) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	s.mu.Unlock()
	s.end() // also of those that have not greeted
	err := s.listener.Close()
	s.serving.Wait()
	return errors.Join(err, os.RemoveAll(s.dir))
}

func (s *Server) accept() {
	for {
		conn, err := s.listener.AcceptUnix()
		if err != nil {
			if s.life.Err() == nil {
				s.fault(fmt.Errorf("accept a process: %w", err))
			}
			return
		}
		s.serving.Go(func() {
			if err := s.serve(conn); err != nil && s.life.Err() == nil {
				s.fault(err)
			}
		})
	}
}

// serve serves a process until its connection ends, which gives back all that it has.
func (s *Server) serve(conn *net.UnixConn) error {
	defer conn.Close()
	defer context.AfterFunc(s.life, func() { conn.Close() })()
	q, err := receive(conn)
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err == nil && (q.function != hello || q.arguments[1] != wireVersion) {
		err = fmt.Errorf("%w: no greeting of version %d", errFrame, wireVersion)
	}
	if err != nil {
		return err
	}
	p := &process{id: int(q.arguments[0]), buffers: map[uint64]*buffer{}}
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.processes[p] = true
	s.mu.Unlock()
	defer s.leave(p)
	for r := success(0); ; {
		if err := send(conn, r); err != nil {
			return nil // the process has ended
		}
		q, err := receive(conn)
		if errors.Is(err, errFrame) {
			return fmt.Errorf("process %d: %w", p.id, err)
		}
		if err != nil {
			return nil
		}
		if q.function == hello {
			return fmt.Errorf("process %d: %w: a second greeting", p.id, errFrame)
		}
		r = s.do(p, q)
	}
}

func (s *Server) do(p *process, q request) reply {
	var r reply
	if err := s.fails(q.function); err != 0 {
		r = failure(err)
	} else {
		r = s.dispatch(p, q)
	}
	s.mu.Lock()
	s.record(p, q, r)
	s.mu.Unlock()
	return r
}

// contexts are those of a card that a process has opened; the server's lock is held.
func (p *process) contexts(o *opened, ended bool) []Leak {
	var out []Leak
	for _, u := range o.slot.units {
		for range u.contexts(o) {
			out = append(out, Leak{Process: p.id, Ended: ended, Kind: Context, Card: o.slot.BDF, What: u.name})
		}
	}
	return out
}

// held is what a process holds; the server's lock is held.
func (p *process) held(ended bool) []Leak {
	var out []Leak
	add := func(kind string, c *slot, what string) {
		out = append(out, Leak{Process: p.id, Ended: ended, Kind: kind, Card: c.BDF, What: what})
	}
	for _, o := range p.opened {
		add(Device, o.slot, fmt.Sprintf("0x%X", o.handle))
	}
	for _, o := range p.opened {
		out = append(out, p.contexts(o, ended)...)
	}
	for _, b := range sorted(p.buffers) {
		what := fmt.Sprintf("0x%X of %d bytes at 0x%X", b.id, b.size, b.addr)
		add(Buffer, b.slot, what)
		if b.mapped {
			add(Map, b.slot, what)
		}
	}
	return out
}

// leave gives back what a process has whose connection has ended.
func (s *Server) leave(p *process) {
	s.mu.Lock()
	s.left = append(s.left, p.held(true)...)
	delete(s.processes, p)
	for _, o := range p.opened {
		o.release()
	}
	buffers := sorted(p.buffers)
	p.opened, p.buffers = nil, nil
	s.mu.Unlock()
	for _, b := range buffers {
		s.drop(b)
	}
}
