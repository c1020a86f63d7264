package emu

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"sync"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/verify/hls"
)

// callSetter puts a word into a call.
type callSetter func(c *accl.Call, word uint32)

// callTargets take the words of a call by name.
var callTargets = map[string]callSetter{
	"scenario":          func(c *accl.Call, v uint32) { c.Scenario = v },
	"count":             func(c *accl.Call, v uint32) { c.Count = v },
	"comm":              func(c *accl.Call, v uint32) { c.Comm = v },
	"root_src_dst":      func(c *accl.Call, v uint32) { c.RootSrcDst = v },
	"function_code":     func(c *accl.Call, v uint32) { c.FunctionCode = v },
	"tag":               func(c *accl.Call, v uint32) { c.Tag = v },
	"arithcfg":          func(c *accl.Call, v uint32) { c.ArithCfg = v },
	"compression_flags": func(c *accl.Call, v uint32) { c.CompressionFlags = v },
	"stream_flags":      func(c *accl.Call, v uint32) { c.StreamFlags = v },
	"addr_0_low":        func(c *accl.Call, v uint32) { c.Addr0 |= uint64(v) },
	"addr_0_high":       func(c *accl.Call, v uint32) { c.Addr0 |= uint64(v) << 32 },
	"addr_1_low":        func(c *accl.Call, v uint32) { c.Addr1 |= uint64(v) },
	"addr_1_high":       func(c *accl.Call, v uint32) { c.Addr1 |= uint64(v) << 32 },
	"addr_2_low":        func(c *accl.Call, v uint32) { c.Addr2 |= uint64(v) },
	"addr_2_high":       func(c *accl.Call, v uint32) { c.Addr2 |= uint64(v) << 32 },
}

// callSetters are what takes the words of a call in the order of the generation's
// record.
func callSetters(g *abi.Generation) ([]callSetter, error) {
	r := g.Record(abi.Call)
	if r == nil {
		return nil, fmt.Errorf("%w: %s lacks a record %s", ErrMissing, g.Name, abi.Call)
	}
	out := make([]callSetter, len(r.Words))
	for i, w := range r.Words {
		if out[i] = callTargets[w.Name]; out[i] == nil {
			return nil, fmt.Errorf("%w: the word %s of %s's %s means nothing here", ErrMissing, w.Name, g.Name, abi.Call)
		}
	}
	return out, nil
}

// kernelCalls are the calls of a kernel, in words and in flight.
type kernelCalls struct {
	k       *kernel
	setters []callSetter
	limit   int              // calls without an answer
	deaf    bool             // the kernel takes no answers
	placed  chan accl.Ticket // in order, to be waited for

	mu    sync.Mutex
	call  accl.Call // whose words come
	words int       // of it
	open  int       // without an answer, or with one that the kernel was not given
	codes []uint32  // answers, in order
}

func newKernelCalls(k *kernel, setters []callSetter) kernelCalls {
	limit := k.e.n.openCalls
	return kernelCalls{
		k: k, setters: setters, limit: limit, placed: make(chan accl.Ticket, limit),
		deaf: !slices.ContainsFunc(k.ports, func(p kernelPort) bool { return p.seat == seatAnswers }),
	}
}

// room is how many words are taken now.
func (c *kernelCalls) room() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return (c.limit-c.open)*len(c.setters) - c.words
}

// take takes words of calls, and places the calls that are complete.
func (c *kernelCalls) take(beats []hls.Beat) error {
	for i := range beats {
		c.mu.Lock()
		c.setters[c.words](&c.call, binary.LittleEndian.Uint32(beats[i].Data[:]))
		c.words++
		complete, call := c.words == len(c.setters), c.call
		if complete {
			c.words, c.call = 0, accl.Call{}
		}
		c.mu.Unlock()
		if !complete {
			continue
		}
		if err := c.k.sync(false); err != nil {
			return err
		}
		ticket, err := c.k.e.calls.start(c.k.client, call)
		if err != nil {
			return err
		}
		c.mu.Lock()
		c.open++
		c.mu.Unlock()
		c.placed <- ticket
	}
	return nil
}

// answering waits for the answers, in the order of the calls.
func (c *kernelCalls) answering() {
	for ticket := range c.placed {
		code, err := c.k.e.calls.wait(context.Background(), ticket)
		if err != nil {
			continue // the engine has ended, which the kernel learns from it
		}
		c.mu.Lock()
		if c.deaf {
			c.open--
		} else {
			c.codes = append(c.codes, uint32(code))
		}
		c.mu.Unlock()
		c.k.tell()
	}
}

// answers takes answers that the kernel has not been given.
func (c *kernelCalls) answers(beats []hls.Beat) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := min(len(beats), len(c.codes))
	for i, code := range c.codes[:n] {
		beats[i] = hls.Beat{Keep: keepFor(wordBytes), Last: 1}
		binary.LittleEndian.PutUint32(beats[i].Data[:], code)
	}
	c.codes = c.codes[:copy(c.codes, c.codes[n:])]
	c.open -= n
	return n
}

// abandoned is the error of a kernel that has ended within a call of its own. The
// words are forgotten.
func (c *kernelCalls) abandoned() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.words == 0 {
		return nil
	}
	why := fmt.Sprintf("has ended after %s", c.partly())
	c.words, c.call = 0, accl.Call{}
	return &accl.KernelError{Kernel: c.k.name, Instance: c.k.instance, Failed: true, Doing: why}
}

// partly says how much of a call has come; c.mu is held.
func (c *kernelCalls) partly() string {
	name := ""
	for _, p := range c.k.ports {
		if p.seat == seatCalls {
			name = p.name
		}
	}
	return fmt.Sprintf("%d of the %d words of a call on %s", c.words, len(c.setters), name)
}
