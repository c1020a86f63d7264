package rtlsim

// MemoryShape is how long simulated memory takes, and how evenly.
type MemoryShape struct {
	Latency, Jitter uint32 // cycles until it answers, and up to so many more
	Stalls          uint32 // pauses after 1000 addresses or beats
	Longest         uint32 // cycles of a pause
}

// ShapeMemory says how long device or host memory takes.
func (e *Engine) ShapeMemory(host bool, s MemoryShape) error {
	space, err := e.space(host)
	if err != nil {
		return err
	}
	return e.do(func() {
		e.f.MemoryLatency(e.model, space.number, s.Latency, s.Jitter)
		e.f.MemoryStall(e.model, space.number, s.Stalls, s.Longest)
	})
}

// NetworkShape is how long the network stack of an engine takes, and how evenly.
type NetworkShape struct {
	Latency, Jitter uint32 // cycles of everything, and up to so many more
	Pauses          uint32 // of each stream in 1000 cycles
	Refusals        uint32 // of 1000 requests to send, of TCP
	Seed            uint64
}

// ShapeNetwork says how the network stack of the engine behaves, where there is
// a model of it.
func (e *Engine) ShapeNetwork(s NetworkShape) error {
	if e.f.NetworkShape == nil {
		return nil
	}
	return e.do(func() {
		e.f.NetworkShape(e.model, e.number, s.Latency, s.Jitter, s.Pauses, s.Refusals, s.Seed)
	})
}
