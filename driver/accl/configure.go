package accl

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// claim checks that the engine was built for the platform and that nobody uses it.
func (e *Engine) claim(ctx context.Context) error {
	if !e.o.anyHardware {
		if err := e.CheckHardware(ctx); err != nil {
			return err
		}
	}
	// Programs for engines that open sessions themselves check whether the engine is
	// configured. If the interface has no word for that, and in all other interface
	// versions, they reset it.
	asks := e.p.Features.ConfigReady && e.p.Features.EngineSessions
	if !asks || e.o.resetFirst {
		if err := e.softReset(ctx); err != nil {
			return err
		}
	}
	if !e.p.Features.ConfigReady {
		return nil
	}
	ready, err := e.read(ctx, e.w.configReady.value)
	if err != nil {
		return err
	}
	if ready != 0 {
		return fmt.Errorf("%w, and may be in use; ResetFirst takes it over", ErrConfigured)
	}
	return nil
}

func (e *Engine) read(ctx context.Context, at uint32) (uint32, error) {
	v, err := e.dev.ReadReg(ctx, at)
	if err != nil {
		return 0, fmt.Errorf("read 0x%X of the exchange memory: %w", at, err)
	}
	return v, nil
}

func (e *Engine) write(ctx context.Context, at uint32, words ...uint32) error {
	for i, v := range words {
		if err := e.dev.WriteReg(ctx, at+4*uint32(i), v); err != nil {
			return fmt.Errorf("write 0x%X of the exchange memory: %w", at+4*uint32(i), err)
		}
	}
	return nil
}

// writeWords writes words from an offset on, by name; words without a value become 0.
func (e *Engine) writeWords(ctx context.Context, at uint32, names []string, words map[string]uint32) error {
	for i, name := range names {
		if err := e.write(ctx, at+4*uint32(i), words[name]); err != nil {
			return err
		}
	}
	return nil
}

// write64 writes the halves of a word of 64 bits, low first.
func (e *Engine) write64(ctx context.Context, at uint32, v uint64) error {
	return e.write(ctx, at, uint32(v), uint32(v>>32))
}

// SetupRxBuffers gives the engine a number of rx buffers of some bytes each, for messages
// that were not received yet; 0 keeps the value of the options. It is the first step of a
// configuration.
func (e *Engine) SetupRxBuffers(ctx context.Context, count, bytes int) error {
	e.setup.Lock()
	defer e.setup.Unlock()
	switch {
	case e.closed.Load():
		return fmt.Errorf("set up rx buffers: %w", ErrClosed)
	case len(e.rx) > 0:
		return fmt.Errorf("set up rx buffers: %w", ErrConfigured)
	}
	if count != 0 || bytes != 0 {
		o := e.o
		o.rx = RxBuffers{count, bytes}
		o.maxSegment = min(o.maxSegment, max(bytes, 0)) // 0 becomes the default
		o.maxEager = max(o.maxEager, 0)
		if e.p.Features.Rendezvous && bytes > o.maxEager {
			o.maxEager, o.maxRendezvous = bytes, max(o.maxRendezvous, 2*bytes)
		}
		if err := o.complete(e.p); err != nil {
			return fmt.Errorf("set up rx buffers: %w", err)
		}
		e.o = o
	}
	if end := uint64(e.w.rx.at) + e.w.rx.bytes(e.o.rx.Count); end > uint64(e.p.Exchange.Limit) {
		fit := (e.p.Exchange.Limit - e.w.rx.at - e.w.rx.headerBytes()) / e.w.rx.recordBytes()
		return fmt.Errorf("set up rx buffers: %w: %d would fit", ErrExchangeFull, fit)
	}
	for range e.o.rx.Count {
		mem, err := e.dev.Alloc(ctx, MemSpec{Bytes: e.o.rx.Bytes})
		if err != nil {
			return fmt.Errorf("allocate rx buffers: %w", err)
		}
		e.rx = append(e.rx, mem)
		if err := mem.SyncTo(ctx, 0, e.o.rx.Bytes); err != nil {
			return fmt.Errorf("clear rx buffers: %w", err)
		}
	}
	if err := e.allocateScratch(ctx); err != nil {
		return err
	}
	if err := e.writeRxBuffers(ctx); err != nil {
		return fmt.Errorf("set up rx buffers: %w", err)
	}
	return nil
}

// allocateScratch allocates scratch buffers: as many as the engine has words for, each of
// the size of the largest message, or one for the barrier.
func (e *Engine) allocateScratch(ctx context.Context) error {
	count, bytes := len(e.w.scratch), e.o.maxRendezvous
	if count == 0 && e.p.Features.EngineSessions {
		count, bytes = 1, e.o.rx.Bytes
	}
	for range count {
		mem, err := e.dev.Alloc(ctx, MemSpec{Bytes: bytes})
		if err != nil {
			return fmt.Errorf("allocate scratch buffers: %w", err)
		}
		e.scratch = append(e.scratch, mem)
	}
	return nil
}

// writeRxBuffers writes the table. The engine fills in the other words of records. The count
// comes last, because it makes the rest valid.
func (e *Engine) writeRxBuffers(ctx context.Context) error {
	t, bytes := &e.w.rx, uint32(e.o.rx.Bytes)
	for i, mem := range e.rx {
		at := mem.Addr()
		record := map[string]uint32{"addrl": uint32(at), "addrh": uint32(at >> 32), "max_len": bytes}
		if err := e.writeWords(ctx, t.place(t.at, i), t.record, record); err != nil {
			return err
		}
	}
	if i := slices.Index(t.header, "size"); i >= 0 {
		if err := e.write(ctx, t.at+4*uint32(i), bytes); err != nil {
			return err
		}
	}
	return e.write(ctx, t.at+4*uint32(slices.Index(t.header, "count")), uint32(len(e.rx)))
}

// ConfigureCommunicator writes a communicator, in which this engine has the index local, to
// the exchange memory. The first one is the world.
func (e *Engine) ConfigureCommunicator(ctx context.Context, ranks []Rank, local int) (*Comm, error) {
	e.setup.Lock()
	defer e.setup.Unlock()
	c, err := e.newComm(ctx, ranks, local)
	if err != nil {
		return nil, fmt.Errorf("configure a communicator: %w", err)
	}
	return c, nil
}

// Enable completes the configuration: it writes arithmetic configurations and tuning words,
// marks the configuration as complete, sets limits and starts the network engines. OpenPort
// and OpenCon call it if necessary.
func (e *Engine) Enable(ctx context.Context) error {
	e.setup.Lock()
	defer e.setup.Unlock()
	return e.enable(ctx)
}

func (e *Engine) enable(ctx context.Context) error {
	if e.closed.Load() {
		return ErrClosed
	}
	if e.enabled {
		return nil
	}
	if len(e.rx) == 0 || e.world.Load() == nil {
		return fmt.Errorf("%w: it has no rx buffers or no communicator", ErrNotConfigured)
	}
	e.configs = nil
	for i, c := range e.o.configs {
		e.configs = append(e.configs, config{c, e.layout.configs[i]})
	}
	if err := e.activate(ctx); err != nil {
		return err
	}
	e.enabled = true
	e.ready.Store(true)
	return nil
}

// activate writes what follows the communicators and starts the engine.
func (e *Engine) activate(ctx context.Context) error {
	for i := range e.configs {
		if err := e.write(ctx, e.configs[i].at, e.w.arithValues(e.configs[i].ArithConfig)...); err != nil {
			return fmt.Errorf("write arithmetic configurations: %w", err)
		}
	}
	for _, t := range append(e.p.Tuning[:len(e.p.Tuning):len(e.p.Tuning)], e.o.tuning...) {
		if err := e.write(ctx, e.w.words[t.Name], t.Value); err != nil {
			return fmt.Errorf("set the tuning word %s: %w", t.Name, err)
		}
	}
	for i, at := range e.w.scratch {
		if err := e.write64(ctx, at, e.scratch[i].Addr()); err != nil {
			return fmt.Errorf("write the address of a scratch buffer: %w", err)
		}
	}
	if e.p.Features.ConfigReady {
		if err := e.write(ctx, e.w.configReady.value, 1); err != nil {
			return err
		}
	}
	if err := e.configure(ctx, enablePkt, 0, nil); err != nil {
		return err
	}
	if err := e.configure(ctx, setTimeout, uint32(e.o.timeoutCycles), nil); err != nil {
		return err
	}
	for _, step := range []struct {
		function string
		count    int
	}{
		{setMaxEager, e.o.maxEager},
		{setMaxRendezvous, e.o.maxRendezvous},
		{setMaxSegmentSize, e.o.maxSegment},
		{setStackType, int(lookup(e.p.Stacks, e.o.protocol).value)},
	} {
		if _, has := e.w.configs[step.function]; !has {
			continue
		}
		if err := e.configure(ctx, step.function, uint32(step.count), nil); err != nil {
			return err
		}
	}
	return e.sayPeers(ctx)
}

// sayPeers tells the engine that all peers are engines of this project. Firmware that does
// not know the function is left as it is.
func (e *Engine) sayPeers(ctx context.Context) error {
	if _, has := e.w.configs[ownPeers]; !has || !e.o.ownPeers {
		return nil
	}
	err := e.configure(ctx, ownPeers, 0, nil)
	if failed := (*CallError)(nil); errors.As(err, &failed) && failed.Has("COLLECTIVE_NOT_IMPLEMENTED") {
		return nil
	}
	return err
}

// restore configures the engine after a reset as it was before.
func (e *Engine) restore(ctx context.Context) error {
	if err := e.writeRxBuffers(ctx); err != nil {
		return err
	}
	for _, c := range e.comms {
		if err := c.write(ctx); err != nil {
			return err
		}
		c.broke.Store(nil)
	}
	if err := e.activate(ctx); err != nil {
		return err
	}
	if !e.p.Features.EngineSessions {
		return nil // the engine has not opened the sessions
	}
	for _, c := range e.comms {
		if c.opened {
			if err := c.openSessions(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// SetTimeout sets the limit of waits inside the engine, in cycles of its clock. Engines
// replace a limit below their interface's min_timeout_cycles by their default.
func (e *Engine) SetTimeout(ctx context.Context, cycles uint32) error {
	return e.set(ctx, setTimeout, cycles, func() { e.o.timeoutCycles = int(cycles) })
}

// SetMaxEager sets the largest message that is sent eagerly, in bytes.
func (e *Engine) SetMaxEager(ctx context.Context, bytes uint32) error {
	return e.set(ctx, setMaxEager, bytes, func() { e.o.maxEager = int(bytes) })
}

// SetMaxRendezvous sets the largest message that is sent by rendezvous, in
// bytes, up to the size of the scratch buffers (WithMaxRendezvous).
func (e *Engine) SetMaxRendezvous(ctx context.Context, bytes uint32) error {
	e.setup.Lock()
	for _, m := range e.scratch {
		if int64(bytes) > int64(len(m.Bytes())) {
			e.setup.Unlock()
			return fmt.Errorf("%s: %w: %d bytes, and the scratch buffers have %d", setMaxRendezvous, ErrArgument,
				bytes, len(m.Bytes()))
		}
	}
	e.setup.Unlock()
	return e.set(ctx, setMaxRendezvous, bytes, func() { e.o.maxRendezvous = int(bytes) })
}

// SetMaxSegment sets the largest segment of a message, in bytes of payload.
func (e *Engine) SetMaxSegment(ctx context.Context, bytes uint32) error {
	return e.set(ctx, setMaxSegmentSize, bytes, func() { e.o.maxSegment = int(bytes) })
}

// set makes a config call, and remembers the value for Reset.
func (e *Engine) set(ctx context.Context, function string, count uint32, remember func()) error {
	e.setup.Lock()
	defer e.setup.Unlock()
	if err := e.usable(); err != nil {
		return fmt.Errorf("%s: %w", function, err)
	}
	if err := e.configure(ctx, function, count, nil); err != nil {
		return err
	}
	remember()
	return nil
}
