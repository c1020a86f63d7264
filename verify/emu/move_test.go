package emu

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/zclconf/go-cty/cty"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/gen/designtest"
)

func TestStepsOfAddresses(t *testing.T) {
	w, r := newRig(t, worldOptions{engines: 2})
	r.set64("move", "op0_address", 0x1_0000_0000)
	r.set64("move", "op1_address", 0x2000)
	r.set64("move", "result_address", 0x3000)
	r.set64("move", "op1_stride", ^uint64(0x100)+1)
	r.set64("move", "result_stride", 0x40)
	r.set64("move", "remote_address", 0x9000)
	r.set("move", "bytes", 256)
	r.set("move", "compressed_bytes", 128)
	r.set("move", "tdest", 0x10)
	r.issue("op0=memory", "op0_compressed", "op0_step=advance", "op1=memory", "op1_step=stride", "result=memory",
		"result_step=stride", "remote_advance")
	r.issue("op0=none", "result=none", "op0_step=repeat", "op1_step=advance", "result_step=repeat")
	w.run()
	for name, want := range map[string]uint64{
		"op0_address": 0x1_0000_0080, "op1_address": 0x2000, "result_address": 0x3040, "remote_address": 0x9100,
	} {
		if got := r.get64("move", name); got != want {
			t.Errorf("%s is 0x%X, expected 0x%X", name, got, want)
		}
	}
	assert.Check(t, len(r.sees) == 2 && r.sees[0].Op0.Address == 0x1_0000_0000 && r.sees[1].Op1.Address == 0x1F00,
		"moves as seen: %v", r.sees)
}

// TestLanes checks conversions and reduction in every place of a move.
func TestLanes(t *testing.T) {
	half := []uint16{0x3C00, 0x4000, 0x4200, 0x3555, 0xC500} // 1, 2, 3, 0.333, -5
	wide := []float32{1, 2, 3, 0.33325195, -5}
	compressed, _ := binary.Append(nil, binary.LittleEndian, half)
	plain := floats(wide...)
	double := make([]float32, len(wide))
	for i, v := range wide {
		double[i] = v + v
	}
	doubled := []uint16{0x4000, 0x4400, 0x4600, 0x3955, 0xC900}
	sumCompressed, _ := binary.Append(nil, binary.LittleEndian, doubled)
	sumPlain := floats(double...)

	const compressor, decompressor, sum32, sum16 = 0, 1, 0, 4
	tests := []struct {
		name       string
		op0, op1   []byte
		reduction  uint32
		fields     []string
		want       []byte
		wantStream bool
	}{
		{"compress", plain, nil, 0, []string{"result_compressed"}, compressed, false},
		{"compress early", plain, nil, 0, []string{"inner_compressed", "result_compressed"}, compressed, false},
		{"decompress", compressed, nil, 0, []string{"op0_compressed"}, plain, false},
		{"decompress late", compressed, nil, 0, []string{"op0_compressed", "inner_compressed"}, plain, false},
		{"all compressed", compressed, nil, 0, []string{"op0_compressed", "inner_compressed", "result_compressed"},
			compressed, false},
		{"there and back", plain, nil, 0, []string{"inner_compressed"}, plain, false},
		{"sum", plain, plain, sum32, nil, sumPlain, false},
		{"sum, compress", plain, plain, sum32, []string{"result_compressed"}, sumCompressed, false},
		{"sum of one compressed", compressed, plain, sum32, []string{"op0_compressed"}, sumPlain, false},
		{"sum of other compressed", plain, compressed, sum32, []string{"op1_compressed"}, sumPlain, false},
		{"sum in compressed", compressed, plain, sum16, []string{"op0_compressed", "inner_compressed"}, sumPlain, false},
		{"sum of compressed", compressed, compressed, sum16, []string{"op0_compressed", "op1_compressed", "inner_compressed",
			"result_compressed"}, sumCompressed, false},
		{"stream", plain, plain, sum32, []string{"result_compressed"}, sumCompressed, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w, r := newRig(t, worldOptions{vars: map[string]cty.Value{"user_kernel": cty.StringVal("vadd_put")}})
			// Unaligned, so that elements lie in two pages.
			r.set64("move", "op0_address", pageBytes-6)
			r.set64("move", "op1_address", 3*pageBytes-5)
			r.set64("move", "result_address", 5*pageBytes-7)
			r.write(pageBytes-6, test.op0)
			r.write(3*pageBytes-5, test.op1)
			r.set("move", "bytes", uint32(len(plain)))
			r.set("move", "compressed_bytes", uint32(len(compressed)))
			r.set("move", "tdest", compressor|decompressor<<4|test.reduction<<8|0x5A<<16)
			fields := append([]string{"op0=memory", "result=memory"}, test.fields...)
			if test.op1 != nil {
				fields = append(fields, "op1=memory")
			}
			if test.wantStream {
				fields[1] = "result=kernel_stream"
			}
			r.issue(fields...)
			w.run()
			r.completes(1, 0)
			if !test.wantStream {
				if got := r.read(5*pageBytes-7, len(test.want)); !bytes.Equal(got, test.want) {
					t.Errorf("got % X, expected % X", got, test.want)
				}
				return
			}
			tdest, got, err := r.Device().Pull(t.Context(), 64)
			if want := append(test.want, make([]byte, 64-len(test.want))...); err != nil || tdest != 0x5A ||
				!bytes.Equal(got, want) {
				t.Errorf("TDEST %d, % X, %v", tdest, got, err)
			}
		})
	}
}

func TestMoveErrors(t *testing.T) {
	tests := []struct {
		name   string
		setup  func(r *rig)
		fields []string
		want   string
	}{
		{"op1 alone", nil, []string{"op1=memory", "result=memory"}, "CONFIG_SWITCH"},
		{"two messages", nil, []string{"op0=message", "op1=message", "result=memory"}, "CONFIG_SWITCH"},
		{"two streams", nil, []string{"op0=kernel_stream", "op1=kernel_stream", "result=memory"}, "CONFIG_SWITCH"},
		{"nothing to move", nil, []string{"result=memory"}, "CONFIG_SWITCH"},
		{"window shut", nil, []string{"op0=window", "result=memory"}, "CONFIG_SWITCH"},
		{"no such rank", func(r *rig) { r.set("move", "destination", 2) }, []string{"op0=memory", "result=network"},
			"CONFIG_SWITCH"},
		{"no such sender", func(r *rig) { r.set("move", "source", 9) }, []string{"op0=message", "result=memory"},
			"CONFIG_SWITCH"},
		{"no communicator", func(r *rig) { r.set("move", "comm", 0xFFFF_FFFC) }, []string{"op0=memory", "result=network"},
			"CONFIG_SWITCH"},
		{"network off", func(r *rig) { r.set("network", "control", 0) }, []string{"op0=memory", "result=network"},
			"CONFIG_SWITCH"},
		{"payload of an announcement", nil, []string{"op0=memory", "result=network", "message_type=rendezvous_announcement"},
			"CONFIG_SWITCH"},
		{"unknown compressor", func(r *rig) { r.set("move", "tdest", 9) }, []string{"op0=memory", "result=memory",
			"result_compressed"}, "COMPRESSION"},
		{"unequal forms", func(r *rig) { r.set("move", "compressed_bytes", 30) }, []string{"op0=memory", "result=memory",
			"result_compressed"}, "COMPRESSION"},
		{"unknown reduction", func(r *rig) { r.set("move", "tdest", 99<<8) },
			[]string{"op0=memory", "op1=memory", "result=memory"}, "ARITH"},
		{"half an element", func(r *rig) { r.set("move", "bytes", 62) },
			[]string{"op0=memory", "op1=memory", "result=memory"}, "ARITH"},
		{"reduction of another type", func(r *rig) { r.set("move", "tdest", 1<<8|1<<4) },
			[]string{"op0=memory", "op0_compressed", "op1=memory", "result=memory"}, "ARITH"},
		{"operand beyond memory", func(r *rig) { r.set64("move", "op0_address", 1<<40-10) },
			[]string{"op0=memory", "result=memory"}, "DMA_DECODE"},
		{"result beyond memory", func(r *rig) { r.set64("move", "result_address", 1<<60) },
			[]string{"op0=memory", "result=memory"}, "DMA_DECODE"},
		{"no host memory", nil, []string{"op0=memory", "op0_host", "result=memory"}, "DMA_DECODE"},
		{"unknown result", nil, []string{"op0=memory", "result=memory_and_network", "result=network"}, "CONFIG_SWITCH"},
		{"nothing apart", nil, []string{"op0=memory", "result=apart"}, "CONFIG_SWITCH"},
		{"apart and converted", nil, []string{"op0=memory", "op1=memory", "result=apart", "result_compressed"},
			"CONFIG_SWITCH"},
		{"apart of another form", nil, []string{"op0=memory", "op1=memory", "op1_compressed", "result_compressed",
			"result=apart"}, "CONFIG_SWITCH"},
		{"kept and not apart", nil, []string{"op0=memory", "op1=memory", "result=memory_and_network", "keeps"},
			"CONFIG_SWITCH"},
		{"kept and beside", nil, []string{"op0=memory", "op1=memory", "result=beside", "keeps"}, "CONFIG_SWITCH"},
		{"kept of nothing", nil, []string{"keeps"}, "CONFIG_SWITCH"},
		{"kept beyond memory", func(r *rig) { r.set64("move", "kept_address", 1<<60) }, []string{"op0=memory", "op1=memory",
			"result=apart", "keeps"}, "DMA_DECODE"},
		{"beside no reduction", nil, []string{"op0=memory", "result=beside"}, "CONFIG_SWITCH"},
		{"beside and converted to the wire", nil, []string{"op0=memory", "op1=memory", "result=beside", "network_compressed"},
			"CONFIG_SWITCH"},
		{"beside and converted from the inner form", nil, []string{"op0=memory", "op1=memory", "op1_compressed",
			"inner_compressed", "result=beside"}, "CONFIG_SWITCH"},
		{"beside with both to be compressed", nil, []string{"op0=memory", "op0_compressed", "op1=memory", "inner_compressed",
			"network_compressed", "result=beside"}, "CONFIG_SWITCH"},
		{"beside the kernel stream", nil, []string{"op0=kernel_stream", "op1=memory", "result=beside"}, "CONFIG_SWITCH"},
		{"beside a reduction of the kernel stream", nil, []string{"op0=memory", "op1=kernel_stream", "result=beside"},
			"CONFIG_SWITCH"},
		{"beside with no such rank", func(r *rig) { r.set("move", "destination", 2) }, []string{"op0=memory", "op1=memory",
			"result=beside"}, "CONFIG_SWITCH"},
		{"beside an unknown reduction", func(r *rig) { r.set("move", "tdest", 99<<8) },
			[]string{"op0=memory", "op1=memory", "result=beside"}, "ARITH"},
		{"beside with an unknown compressor", func(r *rig) { r.set("move", "tdest", 9|4<<8) },
			[]string{"op0=memory", "op0_compressed", "op1=memory", "op1_compressed", "inner_compressed", "network_compressed",
				"result_compressed", "result=beside"}, "COMPRESSION"},
		{"beside beyond memory", func(r *rig) { r.set64("move", "op2_address", 1<<40-10) },
			[]string{"op0=memory", "op1=memory", "result=beside"}, "DMA_DECODE"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w, r := newRig(t, worldOptions{engines: 2})
			r.set("move", "bytes", 64)
			r.set("move", "compressed_bytes", 32)
			r.set("move", "destination", 1)
			r.set("move", "source", 1)
			if test.setup != nil {
				test.setup(r)
			}
			r.issue(test.fields...)
			w.run()
			r.completes(1, r.bit(test.want))
			// The queue drops what comes later until its error is cleared.
			r.set64("move", "op0_address", 0)
			r.set64("move", "result_address", 0x1000)
			r.write(0, []byte{1})
			r.issue("op0=memory", "result=memory")
			w.run()
			r.completes(2, r.bit(test.want))
			assert.Check(t, is.Equal(r.read(0x1000, 1)[0], byte(0)), "a move ran in a queue that had failed")
			r.set("move_status", "error_0", 0)
			r.set("move", "bytes", 64)
			r.issue("op0=memory", "result=memory")
			w.run()
			r.completes(3, 0)
			assert.Check(t, is.Equal(r.read(0x1000, 1)[0], byte(1)), "the queue does not run again")
		})
	}
}

func TestQueues(t *testing.T) {
	w, r := newRig(t, worldOptions{engines: 2, buffers: 2})
	r.set("move", "source", 1)
	r.set("move", "bytes", 4)
	r.set64("move", "result_address", 0x1000)
	const depth = 8
	for range depth {
		r.issue("op0=message", "result=memory", "queue=2")
	}
	assert.Equal(t, r.get("move_status", "room"), uint32(0x08_00_08_08), "room 0x")
	w.run()
	r.issue("op0=memory", "result=memory", "queue=1") // another queue goes on
	w.run()
	if c, e := r.queue(1); c != 1 || e != 0 {
		t.Errorf("queue 1: %d completed, errors 0x%X", c, e)
	}
	r.issue("op0=message", "result=memory", "queue=2")
	if c, e := r.queue(2); c != 1 || e != r.bit("CONFIG_SWITCH") {
		t.Errorf("full queue: %d completed, errors 0x%X", c, e)
	}
	r.set("move_status", "abort", 1<<2)
	if c, _ := r.queue(2); c != depth+1 {
		t.Errorf("aborted queue: %d completed", c)
	}
	assert.Check(t, is.Equal(r.get("move_status", "room"), uint32(0x08_08_08_08)), "room 0x")
}

// TestLoopbackLanes has no plugins: TDEST 0 passes data on as it is.
func TestLoopbackLanes(t *testing.T) {
	d := *designtest.Load(t, "u55c_tcp", nil)
	p := *d.Platform
	p.Arithmetic, p.Compression = nil, nil
	d.Platform = &p
	w, r := newRig(t, worldOptions{design: &d})
	data := random(1, 100)
	r.write(0, data)
	r.set64("move", "op1_address", 0x1000)
	r.set64("move", "result_address", 0x2000)
	r.set("move", "bytes", 100)
	r.set("move", "compressed_bytes", 100)
	r.issue("op0=memory", "op1=memory", "result=memory", "result_compressed")
	w.run()
	r.completes(1, 0)
	assert.Check(t, bytes.Equal(r.read(0x2000, 100), data), "not looped back")
	r.set("move", "tdest", 1<<8)
	r.issue("op0=memory", "op1=memory", "result=memory")
	w.run()
	r.completes(2, r.bit("ARITH"))
}
