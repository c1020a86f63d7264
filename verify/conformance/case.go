// Package conformance holds engines against the reference model: it runs operations
// with everything that can vary on all ranks of a world, and checks every
// element of the results and every byte around them.
//
// It knows engines through the driver alone, so that emulated, simulated and
// real ones are held against the same model. Its tests run in process; the flag
// -conform.over has all of them go over the simulation protocol, sockets or
// processes.
package conformance

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/verify/conformance/model"
)

// Data is what operands are filled with.
type Data string

const (
	// Integers are small enough that all types of the case hold them, and
	// every sum of them, exactly: results do not depend on the order.
	Integers Data = ""
	// Reals are random numbers from -1 to 1, held against the reference with a
	// tolerance for rounding. All ranks of an allreduce must agree to the bit.
	Reals Data = "reals"
	// Bits are any, also those of NaNs: they must arrive as they are. It is for
	// operations that neither reduce nor convert.
	Bits Data = "bits"
)

// Case is one operation with everything that can vary. It is a plain value that
// prints itself, and Parse reads that again.
type Case struct {
	Op   string    // as in Platform.Operations; send with its recv; or "stream_put"
	Func accl.Func `json:",omitempty"`

	// Element types of the operands and of the result, where the operation has
	// them, and what is sent if it is compressed.
	Op0, Op1, Res, Wire accl.DType `json:",omitempty"`

	Count   int   // elements, as the operation counts them
	Members []int `json:",omitempty"` // of the communicator, by world rank, in order; nil for all
	Root    int   `json:",omitempty"` // in the communicator; of send and stream_put the source
	Peer    int   `json:",omitempty"` // of send and stream_put the destination

	Tag     *accl.Tag `json:",omitempty"` // of a send
	RecvTag *accl.Tag `json:",omitempty"` // that its recv waits for
	Stream  accl.Tag  `json:",omitempty"` // of stream_put

	Async     bool          `json:",omitempty"`
	Client    int           `json:",omitempty"` // calls are placed as this client
	FromFPGA  bool          `json:",omitempty"` // operand 0 is in device memory
	FromFPGA1 bool          `json:",omitempty"`
	ToFPGA    bool          `json:",omitempty"` // the result stays there
	Skew      time.Duration `json:",omitempty"` // ranks start this much apart, at most

	// Operand 0 and the result share device memory, where a rank has both: the smaller of
	// them is the rank's block of the other.
	InPlace bool `json:",omitempty"`
	// Operands and results in host memory.
	HostOp0, HostOp1, HostRes bool `json:",omitempty"`
	// Operands and results on kernel streams, which must lead back to the engine
	// and hold what goes over them.
	StreamOp0, StreamRes bool `json:",omitempty"`
	// What comes by a kernel stream is on it before the call begins, so that no rank
	// has two calls at a time for that; the stream must hold all of it.
	Fed bool `json:",omitempty"`
	// Taken: what a put brings is taken from the kernel stream while it comes, rather than afterwards. The
	// put has its operand in memory then.
	Taken bool `json:",omitempty"`

	Data Data `json:",omitempty"`
	Pad  int  `json:",omitempty"` // elements before each operand and result, besides one
	Seed int64
}

// ErrCase says that a case makes no sense for a world.
var ErrCase = errors.New("no such case")

// String is the case in JSON, as Parse reads it.
func (c Case) String() string {
	text, err := json.Marshal(c)
	if err != nil {
		return fmt.Sprintf("%+v", struct{ Case }{c}) // no method String there
	}
	return string(text)
}

// Parse reads what String has printed.
func Parse(text string) (Case, error) {
	var c Case
	d := json.NewDecoder(bytes.NewReader([]byte(text)))
	d.DisallowUnknownFields()
	if err := d.Decode(&c); err != nil {
		return Case{}, fmt.Errorf("%w: %w", ErrCase, err)
	}
	return c, nil
}

// Size is the number of ranks that take part.
func (c *Case) Size(world int) int {
	if c.Members == nil {
		return world
	}
	return len(c.Members)
}

// Streams reports whether something of the case goes over kernel streams.
func (c *Case) Streams() bool { return c.StreamOp0 || c.StreamRes || c.Op == "stream_put" }

// MayBeInPlace reports whether the result can be in the place of operand 0.
func (c *Case) MayBeInPlace(p *accl.Platform) bool {
	op := p.Operation(c.Op)
	return op != nil && op.InPlace == accl.InPlaceAllowed && c.FromFPGA && c.ToFPGA && !c.HostOp0 && !c.HostRes &&
		!c.Streams() && c.Op0 == c.Res
}

// check reports what makes the case none of this world.
func (c *Case) check(p *accl.Platform, world int) (*operation, error) {
	op := operationOf(p, c.Op)
	n := c.Size(world)
	switch {
	case op == nil:
		return nil, fmt.Errorf("%w: the operation %q", ErrCase, c.Op)
	case op.reference == nil || op.call == nil:
		return nil, fmt.Errorf("%w: %w %q", ErrCase, ErrReference, c.Op)
	case c.Count < 0 || c.Pad < 0 || n < 1 || world < 1:
		return nil, fmt.Errorf("%w: %d elements on %d ranks", ErrCase, c.Count, n)
	case c.Root < 0 || c.Root >= n || c.Peer < 0 || c.Peer >= n:
		return nil, fmt.Errorf("%w: ranks %d and %d of %d", ErrCase, c.Root, c.Peer, n)
	case op.Reduces && model.Reductions[string(c.Func)].Of == nil:
		return nil, fmt.Errorf("%w: the function %q has no reference in package model", ErrCase, c.Func)
	case c.Taken && (c.Op != "stream_put" || c.StreamOp0):
		return nil, fmt.Errorf("%w: %s whose result is taken", ErrCase, c.Op)
	case c.Data == Bits && (op.Reduces || len(c.types()) > 1):
		return nil, fmt.Errorf("%w: bits that are reduced or converted", ErrCase)
	case c.InPlace && !c.MayBeInPlace(p):
		return nil, fmt.Errorf("%w: %s in place", ErrCase, c.Op)
	}
	for i, m := range c.Members {
		if m < 0 || m >= world || slices.Contains(c.Members[:i], m) {
			return nil, fmt.Errorf("%w: the ranks %v of %d", ErrCase, c.Members, world)
		}
	}
	for _, t := range c.types() {
		if _, ok := codecs[t]; !ok {
			return nil, fmt.Errorf("%w: the type %q", ErrCase, t)
		}
		if _, ok := p.TypeBytes(t); !ok {
			return nil, fmt.Errorf("%w: %s does not have the type %q", ErrCase, p.Name, t)
		}
		if c.Data == Reals && codecs[t].epsilon == 0 {
			return nil, fmt.Errorf("%w: reals of the type %s", ErrCase, t)
		}
	}
	for _, use := range []struct {
		accl.OperandUse
		dtype accl.DType
	}{{op.Op0, c.Op0}, {op.Op1, c.Op1}, {op.Result, c.Res}} {
		if use.Any() != (use.dtype != "") {
			return nil, fmt.Errorf("%w: the types of the operands of %s", ErrCase, c.Op)
		}
	}
	if op.alike() && c.Res != "" && c.Op0 != c.Res {
		return nil, fmt.Errorf("%w: %s from %s to %s, where no rank knows both types", ErrCase, c.Op, c.Op0, c.Res)
	}
	return op, nil
}

// types are the element types of the case, each once.
func (c *Case) types() []accl.DType {
	var out []accl.DType
	for _, t := range []accl.DType{c.Op0, c.Op1, c.Res, c.Wire} {
		if t != "" && !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}

// ElementBytes is the size of an uncompressed element of the case: the largest
// of its types.
func (c *Case) ElementBytes(p *accl.Platform) int {
	size := 0
	for _, t := range c.types() {
		bytes, _ := p.TypeBytes(t)
		size = max(size, bytes)
	}
	return size
}

// MayLose reports whether the network may lose data of the case because it does
// not fit into the rx buffers, as UDP does. The calls may then end with
// RECEIVE_TIMEOUT.
func (c *Case) MayLose(p *accl.Platform) bool {
	size := c.ElementBytes(p)
	if p.Stack != "udp" || c.Op != "send" || size == 0 || p.RxBuffers.Bytes < size {
		return false
	}
	// A message takes a buffer, however short it is.
	message := p.RxBuffers.Bytes
	if p.MaxUDPPayloadBytes > 0 {
		message = min(message, p.MaxUDPPayloadBytes)
	}
	wire := size
	if c.Wire != "" {
		wire, _ = p.TypeBytes(c.Wire)
	}
	elements := min(message/wire, p.RxBuffers.Bytes/size)
	if c.Count <= elements*p.RxBuffers.Count {
		return false
	}
	eager, _ := thresholds(p)
	rendezvous := p.Features.Rendezvous && c.Count*size > eager
	return !rendezvous || len(c.types()) > 1 || c.StreamRes
}
