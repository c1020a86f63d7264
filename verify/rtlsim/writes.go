package rtlsim

import (
	"errors"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/verify/fabric"
)

// writes are rendezvous data that RDMA writes to the memory of remote ranks, without
// a header. On the fabric all packets have one, which says who sent them: so they
// wait until the header comes that says that all were sent.
type writes struct {
	rdma       bool // the rest is for RDMA only
	data, done uint64
	fields     map[string]abi.Field
	held       map[uint32][]write // by session, in their order
}

// write is what a stack writes at once.
type write struct {
	address uint64
	host    bool
	bytes   []byte
}

// Fields of the header that matter here.
const (
	headerType  = "msg_type"
	headerCount = "count"
	headerSeq   = "seq"
	headerVaddr = "vaddr"
	headerHost  = "host"
)

func newWrites(d *design.Design) (*writes, error) {
	if d.Stack() != "rdma" {
		return &writes{}, nil
	}
	w := &writes{rdma: true, fields: map[string]abi.Field{}, held: map[uint32][]write{}}
	types, layout := d.ABI().Enum("message_type"), d.ABI().Layout(abi.MessageHeader)
	if layout == nil {
		return nil, errors.New("RDMA without message headers")
	}
	data, done := types.Value("rendezvous_data"), types.Value("rendezvous_done")
	if data == nil || done == nil {
		return nil, errors.New("RDMA without rendezvous")
	}
	w.data, w.done = uint64(data.Value), uint64(done.Value)
	for _, f := range layout.Fields {
		w.fields[f.Name] = f
	}
	for _, name := range []string{headerType, headerCount, headerSeq, headerVaddr, headerHost} {
		if _, ok := w.fields[name]; !ok {
			return nil, errors.New("message headers without " + name)
		}
	}
	return w, nil
}

func (w *writes) get(from *[headerBytes]byte, name string) (v uint64) {
	f := w.fields[name]
	for i := range f.Bits() {
		at := f.Low + i
		v |= uint64(from[at/8]>>(at%8)&1) << i
	}
	return v
}

func (w *writes) set(to *[headerBytes]byte, name string, v uint64) {
	f := w.fields[name]
	for i := range f.Bits() {
		at := f.Low + i
		to[at/8] = to[at/8]&^(1<<(at%8)) | byte(v>>i&1)<<(at%8)
	}
}

// hold keeps what is written. What was written there by a transfer that did not
// come to its end is overwritten.
func (w *writes) hold(session uint32, new write) {
	old, kept := w.held[session], []write(nil)
	for _, o := range old {
		if o.host != new.host || !o.lies(new.address, uint64(len(new.bytes))) && !new.lies(o.address, uint64(len(o.bytes))) {
			kept = append(kept, o)
		}
	}
	w.held[session] = append(kept, new)
}

// lies tells whether a write begins in a range.
func (w *write) lies(first, bytes uint64) bool { return w.address-first < bytes }

// complete is what was held of a transfer of which all was sent, as packets, if
// the header of a message says so. It names the buffer by its address, or by where
// the data ended.
func (w *writes) complete(session uint32, header *[headerBytes]byte) []*fabric.Packet {
	if !w.rdma || w.get(header, headerType) != w.done {
		return nil
	}
	vaddr, total, host := w.get(header, headerVaddr), w.get(header, headerCount), w.get(header, headerHost) != 0
	first := vaddr
	if w.bytes(session, vaddr, total, host) != total && w.bytes(session, vaddr-total, total, host) == total {
		first = vaddr - total
	}
	var packets []*fabric.Packet
	var kept []write
	for _, held := range w.held[session] {
		if held.host != host || !held.lies(first, total) {
			kept = append(kept, held)
			continue
		}
		p := &fabric.Packet{Header: *header, Payload: held.bytes}
		w.set(&p.Header, headerType, w.data)
		w.set(&p.Header, headerCount, uint64(len(held.bytes)))
		w.set(&p.Header, headerSeq, uint64(len(packets)))
		w.set(&p.Header, headerVaddr, held.address)
		packets = append(packets, p)
	}
	w.held[session] = kept
	return packets
}

// bytes is how many are held of a range.
func (w *writes) bytes(session uint32, first, bytes uint64, host bool) (sum uint64) {
	for _, held := range w.held[session] {
		if held.host == host && held.lies(first, bytes) {
			sum += uint64(len(held.bytes))
		}
	}
	return sum
}

// written tells where data go that RDMA writes.
func (w *writes) written(header *[headerBytes]byte) (addr uint64, host, ok bool) {
	if !w.rdma || w.get(header, headerType) != w.data {
		return 0, false, false
	}
	return w.get(header, headerVaddr), w.get(header, headerHost) != 0, true
}
