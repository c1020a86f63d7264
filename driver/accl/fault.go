package accl

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Bits of the return code that come with a Fault.
const (
	receiveTimeout     = "RECEIVE_TIMEOUT"
	collectiveMismatch = "COLLECTIVE_MISMATCH"
)

// Fault describes a failed call: for RECEIVE_TIMEOUT the message that it waited for, for
// COLLECTIVE_MISMATCH the call of another rank that it met.
type Fault struct {
	// Rank is the rank that was waited for, or that made another call. It is this rank itself if its own
	// collective broke the communicator before.
	Rank int
	// Collective is the number of the call among the collectives of its communicator; 0 for sends,
	// receives and collectives that were refused.
	Collective CollectiveNumber

	// The message that was waited for (RECEIVE_TIMEOUT): its sequence number and tag, the size in bytes of
	// the transfer that it belongs to, and the time that the engine waited.
	Sequence uint32
	Tag      Tag
	Bytes    uint32
	Limit    time.Duration

	// Other is the collective of Rank (COLLECTIVE_MISMATCH); nil if Rank has called Recover or was reset.
	Other *OtherCall
}

// CollectiveNumber is the number of a collective of a communicator, from 1. The upper 16 bits count
// the times that the ranks agreed to go on, by Recover or after a reset; the lower 16 bits count collectives
// since then.
type CollectiveNumber uint32

// String returns the number in decimal, after "n." if the ranks have agreed n times.
func (n CollectiveNumber) String() string {
	if n>>16 == 0 {
		return fmt.Sprint(uint32(n))
	}
	return fmt.Sprintf("%d.%d", n>>16, n&0xFFFF)
}

// OtherCall is the collective call of another rank, as its messages describe it.
type OtherCall struct {
	Number    CollectiveNumber
	Operation string
	Function  string // of a reduction, or ""
	Count     uint32 // elements
	Root      int    // 0 if the operation has none
	Code      ReturnCode

	known *Operation // nil if the generation does not have it
	// What is not known of calls of others.
	types      *config
	compressed bool
}

// fault reads the engine's description of the call that failed last; nil if that was a call of another
// communicator.
func (c *Comm) fault(ctx context.Context, code ReturnCode) *Fault {
	f, comm, of := c.engine.exchange(ctx).fault()
	if comm != c.at || of&code == 0 {
		return nil
	}
	return f
}

// faultOf decodes the words of a fault.
func (p *Platform) faultOf(words map[string]uint32) *Fault {
	f := &Fault{Rank: int(words["rank"]), Collective: CollectiveNumber(words["number"])}
	a, b, s, m := words["sequence_or_number"], words["tag_or_count"], words["bytes_or_shape"],
		words["milliseconds_or_code"]
	if p.Describe(ReturnCode(words["code"]))[0].Name == receiveTimeout {
		f.Sequence, f.Tag, f.Bytes, f.Limit = a, Tag(b), s, time.Duration(m)*time.Millisecond
		return f
	}
	if s != 0 {
		f.Other = &OtherCall{Number: CollectiveNumber(a), Count: b, Code: ReturnCode(m)}
		f.Other.shape(p, s)
	}
	return f
}

// shape decodes the word that all ranks of a collective agree on.
func (o *OtherCall) shape(p *Platform, word uint32) {
	for _, f := range p.CollectiveShape {
		v := f.of(word)
		switch f.Name {
		case "operation":
			o.Operation = fmt.Sprint(v)
			if o.known = p.OperationOf(v); o.known != nil {
				o.Operation = o.known.Name
			}
		case "function_code":
			o.Function = nameOf(p.ReduceFunctions, v)
		case "root":
			o.Root = int(v)
		}
	}
	if o.known == nil || !o.known.Reduces {
		o.Function = ""
	}
}

// String describes the call, as in "allreduce of 1000 elements (sum), its collective 3".
func (o *OtherCall) String() string { return fmt.Sprintf("%s, its collective %v", o.what(), o.Number) }

// what describes what is called.
func (o *OtherCall) what() string {
	var b strings.Builder
	fmt.Fprint(&b, o.Operation)
	if o.known == nil || o.known.Operands() {
		fmt.Fprintf(&b, " of %d elements", o.Count)
	}
	if o.types != nil {
		fmt.Fprintf(&b, " of %s", join(slices.Compact([]DType{o.types.Uncompressed, o.types.Compressed})))
	}
	if o.compressed {
		b.WriteString(", compressed")
	}
	if o.Function != "" {
		fmt.Fprintf(&b, " (%s)", o.Function)
	}
	if o.known != nil && o.known.Peer == PeerRoot {
		fmt.Fprintf(&b, " with root %d", o.Root)
	}
	return b.String()
}

// mismatch describes the call that a collective met, how it was called itself, and what to do.
func (c *Comm) mismatch(err *CallError, own *OtherCall) string {
	const remedy = "all ranks of the communicator must call Recover, or Reset"
	first, f := c.broke.Load(), err.Fault
	switch {
	case err.Refused && first != nil:
		return fmt.Sprintf("the communicator is broken since %s failed with %s; %s", first.Op, first.names(), remedy)
	case f == nil || own == nil:
		return "the ranks must make the same collective calls in the same order; then " + remedy
	case f.Other == nil:
		return fmt.Sprintf("rank %d has called Recover, or was reset; %s", f.Rank, remedy)
	case f.Other.Code != 0:
		return fmt.Sprintf("rank %d: %s, failed with %s; %s", f.Rank, f.Other, names(c.engine.p.Describe(f.Other.Code)),
			remedy)
	default:
		return fmt.Sprintf(
			"rank %d called %s; this call is collective %v here, %s; operation, count, element type, compression, root and "+
				"function must agree; %s",
			f.Rank, f.Other, f.Collective, own.what(), remedy)
	}
}

// timeout describes the message that a call has waited for.
func (c *Comm) timeout(f *Fault) string {
	if f == nil {
		return ""
	}
	tag := fmt.Sprint("tag ", f.Tag)
	if uint32(f.Tag) == c.engine.p.TagAny {
		tag = "any tag"
	}
	text := fmt.Sprintf("no message of rank %d with sequence number %d, %s", f.Rank, f.Sequence, tag)
	if f.Bytes != 0 {
		text += fmt.Sprintf(", of %d bytes in all", f.Bytes)
	}
	if f.Collective != 0 {
		text += fmt.Sprintf(", in collective %v", f.Collective)
	}
	return text + fmt.Sprintf(", within %v, which limits { remote_timeout_ms } of the platform sets", f.Limit)
}

// names lists the names of bits.
func names(bits []Bit) string {
	var out []string
	for _, b := range bits {
		out = append(out, b.Name)
	}
	return strings.Join(out, ", ")
}

func (e *CallError) names() string { return names(e.Bits) }

// failed notes a collective that failed.
func (c *Comm) failed(err *CallError) { c.broke.CompareAndSwap(nil, err) }

// Recover makes the communicator usable after a collective failed on any of its ranks.
// All of them call it, and it returns when all have done so. The error is a *CallError
// with RECEIVE_TIMEOUT if a rank does not call it within the platform's limit for remote
// ranks. Messages of the communicator on their way are dropped, including sends that were
// not received yet; other communicators are not affected.
func (c *Comm) Recover(ctx context.Context) error {
	if c == nil {
		return fmt.Errorf("recover: %w", ErrNotMember)
	}
	e := c.engine
	e.gate.RLock()
	defer e.gate.RUnlock()
	if err := e.usable(); err != nil {
		return fmt.Errorf("recover: %w", err)
	}
	e.own.begins(c.at) // before any rank goes on
	if err := e.configure(ctx, recoverComm, 0, c); err != nil {
		return err
	}
	c.broke.Store(nil)
	return nil
}

// Recover makes the world usable after a collective failed: see Comm.Recover.
func (e *Engine) Recover(ctx context.Context) error { return e.World().Recover(ctx) }
