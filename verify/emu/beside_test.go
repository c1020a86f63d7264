package emu

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/bits"
	"testing"

	"github.com/cclforge/cclforge/verify/fabric"
)

// halves are small whole numbers in half precision.
func halves(v []float32) []byte {
	var b []byte
	for _, x := range v {
		n := uint(x)
		word := uint16(0)
		if n > 0 {
			log2 := bits.Len(n) - 1
			word = uint16((log2+15)<<10 | int(n<<10>>log2)&0x3FF)
		}
		b = binary.LittleEndian.AppendUint16(b, word)
	}
	return b
}

// TestBesides sends something beside reductions, as it is and compressed.
func TestBesides(t *testing.T) {
	type forms struct{ op0, op1, inner, result bool }
	for _, f := range []forms{
		{}, {op0: true}, {op1: true}, {result: true}, {op0: true, op1: true, result: true},
		{op1: true, inner: true}, {op0: true, op1: true, inner: true}, {op1: true, inner: true, result: true},
		{true, true, true, true},
	} {
		for _, message := range []int{-1, 0, 1} { // the operand that is one
			t.Run(fmt.Sprintf("%+v, message %d", f, message), func(t *testing.T) {
				besides(t, [2]bool{f.op0, f.op1}, f.inner, f.result, message)
			})
		}
	}
}

func besides(t *testing.T, packed [2]bool, inner, result bool, message int) {
	const n, compressor, decompressor, sum32, sum16 = 300_000, 0, 1, 0, 4
	in, sum, other := make([]float32, n), make([]float32, n), make([]float32, n)
	for i := range in {
		in[i], sum[i], other[i] = float32(i%512), float32(2*(i%512)), float32(1000-i%1000)
	}
	formed := func(packed bool, v []float32) []byte {
		if packed {
			return halves(v)
		}
		return floats(v...)
	}
	w := newWorld(t, worldOptions{engines: 2, raw: 1, buffers: 8})
	r, peer := w.rigs[0], w.rigs[1]
	reduction := uint32(sum32)
	fields := []string{"result=beside"}
	if inner {
		reduction = sum16
		fields = append(fields, "inner_compressed", "network_compressed")
	}
	if result {
		fields = append(fields, "result_compressed")
	}
	for i, packed := range packed {
		name := fmt.Sprintf("op%d", i)
		if packed {
			fields = append(fields, name+"_compressed")
		}
		if data := formed(packed, in); i == message {
			fields = append(fields, name+"=message")
			peer.write(0, data)
			peer.set("move", "bytes", uint32(len(data)))
			peer.set("move", "segment_bytes", 2000)
		} else {
			fields = append(fields, name+"=memory")
			at := uint64(i+1)<<28 - 6 // elements lie in two pages
			r.set64("move", name+"_address", at)
			r.write(at, data)
		}
	}
	r.set("move", "bytes", 4*n)
	r.set("move", "compressed_bytes", 2*n)
	r.set("move", "tdest", compressor|decompressor<<4|reduction<<8)
	r.set("move", "source", 1)
	r.set("move", "destination", 2)
	r.set("move", "segment_bytes", 4000)
	r.set64("move", "op2_address", 1<<32-10)
	r.write(1<<32-10, formed(false, other))
	r.set64("move", "result_address", 1<<33-7)
	r.issue(fields...)
	if message >= 0 {
		peer.issue("op0=memory", "result=network")
	}
	var wire []byte
	for more := true; more; {
		w.run()
		more = false
		for p := w.raw[0].Receive(); p != nil; p = w.raw[0].Receive() {
			wire, more = append(wire, p.Payload...), true
			p.Release()
		}
	}
	r.completes(1, 0)
	if !bytes.Equal(wire, formed(inner, other)) {
		t.Error("wrong data are sent")
	}
	if want := formed(result, sum); !bytes.Equal(r.read(1<<33-7, len(want)), want) {
		t.Error("wrong sum")
	}
	if seen := r.sees[0].Op2; seen.Kind != "memory" || seen.Address != 1<<32-10 || seen.Compressed || seen.Host {
		t.Errorf("operand 2 is %+v", seen)
	}
}

// TestBesideEachOther has two ranks each reduce what the other one sends beside
// it, a few of the hardware's packets behind: neither waits for more.
func TestBesideEachOther(t *testing.T) {
	const head, rest, sum32 = 8 * 1008, 100_000, 0 // elements
	const window, own, other, result = 0, 1 << 28, 2 << 28, 3 << 28
	w := newWorld(t, worldOptions{engines: 2, net: fabric.Options{MaxPayload: 64 << 10}})
	value := func(rank, at int) float32 { return float32(rank*1000 + at%1000) }
	values := func(rank int) []byte {
		v := make([]float32, head+rest)
		for i := range v {
			v[i] = value(rank, i)
		}
		return floats(v...)
	}
	for rank, r := range w.rigs {
		peer := 1 - rank
		r.open(window, peer, result+pageBytes, 4*(head+rest))
		r.set("move", "source", uint32(peer))
		r.set("move", "destination", uint32(peer))
		r.set("move", "window", window)
		r.set("move", "tdest", sum32<<8)
		r.write(own, values(rank))
		r.write(other, values(rank+2)) // what this rank sends
	}
	for _, r := range w.rigs {
		r.set("move", "bytes", 4*head)
		r.set64("move", "remote_address", result+pageBytes)
		r.set64("move", "op0_address", other)
		r.issue("op0=memory", "result=network", "message_type=rendezvous_data")
		r.set("move", "bytes", 4*rest)
		r.set64("move", "remote_address", result+pageBytes+4*head)
		r.set64("move", "op0_address", own)
		r.set64("move", "op1_address", result+pageBytes)
		r.set64("move", "op2_address", other+4*head)
		r.set64("move", "result_address", result)
		r.issue("op0=memory", "op1=window", "result=beside", "message_type=rendezvous_data")
	}
	w.run()
	for rank, r := range w.rigs {
		r.completes(2, 0)
		want := make([]float32, rest)
		for i := range want {
			want[i] = value(rank, i) + value(3-rank, i)
		}
		if !bytes.Equal(r.read(result, 4*rest), floats(want...)) {
			t.Errorf("rank %d: wrong sum", rank)
		}
		if got, want := r.get("move", "packet_index"), uint32(head*4/(64<<10)+1+(4*rest+4031)/4032); got != want {
			t.Errorf("rank %d: packet index %d, expected %d", rank, got, want)
		}
	}
}
