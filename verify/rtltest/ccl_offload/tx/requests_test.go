package transmit

import (
	"fmt"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

// ask is what a back end is asked for.
type ask struct {
	session, bytes, vaddr, host uint64
	written                     bool
}

// requested is what an RDMA stack is asked for, by field.
func requested(b *block.Bench) map[string]uint64 {
	all := map[string]uint64{}
	for _, f := range definitions().Layout("rdma_send_queue").Fields {
		for i, word := 0, b.Bytes("rdma_sq_tdata"); i < f.Bits(); i++ {
			all[f.Name] |= uint64(word[(f.Low+i)/8]>>((f.Low+i)%8)&1) << i
		}
	}
	return all
}

// compare compares what an RDMA stack is asked for.
func (q ask) compare(b *block.Bench) error {
	opcode := func(name string) uint64 { return uint64(definitions().Enum("rdma_opcode").Value(name).Value) }
	want := map[string]uint64{"length": q.bytes, "queue_pair": q.session, "opcode": opcode("send")}
	if q.written {
		want["opcode"], want["vaddr"], want["host"] = opcode("write"), q.vaddr, q.host
	}
	for name, got := range requested(b) {
		if got != want[name] {
			return fmt.Errorf("%s of a request is %X, not %X", name, got, want[name])
		}
	}
	return nil
}

// word is a beat of what is sent.
type word struct {
	data          []byte
	keep, session uint64
	last, headed  bool
}
