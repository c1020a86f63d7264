package kernels

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

const (
	peers     = 8
	room      = 4 // packets of each sender
	largest   = 4096
	beatBytes = 64
	id        = 5
)

const networkFolder = "network_krnl_axis"

var network = block.NewSet(
	block.Module{Name: "axis_transmit", Folder: networkFolder, Params: map[string]string{"ID": "5"}},
	block.Module{Name: "axis_receive", Folder: networkFolder},
	block.Module{Name: "network_krnl", Folder: networkFolder, Platform: "u55c_axis3x",
		Params: map[string]string{"ID": "5"}},
)

// set are the kernels around calls and sessions.
var set = block.NewSet(
	block.Module{Name: "client_arbiter", Folder: "client_arbiter", Streams: true,
		Params: map[string]string{"LIMIT": fmt.Sprint(limit)}},
	block.Module{Name: "hostctrl", Folder: "hostctrl", Streams: true},
	block.Module{Name: "tcp_session_handler", Folder: "tcp_session_handler", Streams: true,
		Params: map[string]string{"MILLISECOND_CYCLES": "20", "LIMIT_MILLISECONDS": "15"}},
)

// kernelOf is one of the set. It sees that its reset has ended a cycle later.
func kernelOf(t *testing.T, name string, seed uint64) *block.Bench {
	t.Helper()
	b := set.Start(t, name, seed)
	b.Step()
	return b
}

const axiControl = "s_axi_control_" // their ports of registers

func TestTransmit(t *testing.T) { network.Check(t, "axis_transmit", transmits) }
func TestReceive(t *testing.T)  { network.Check(t, "axis_receive", receives) }
func TestKernel(t *testing.T)   { network.Check(t, "network_krnl", networkKernel) }

// packetLength is one of a packet: mostly short, or around ends of beats, or the largest.
func packetLength(r *rand.Rand) int {
	switch r.IntN(8) {
	case 0:
		return beatBytes*(1+r.IntN(6)) + r.IntN(3) - 1
	case 1:
		return largest - r.IntN(3)
	case 2:
		return 1 + r.IntN(largest)
	}
	return 1 + r.IntN(200)
}

func keepOf(n int) uint64 { return ^uint64(0) >> (beatBytes - n) }

// beats are those of a packet; behind its end stands anything.
func beats(r *rand.Rand, data []byte) (all []beat) {
	for at := 0; at < len(data); at += beatBytes {
		n := min(beatBytes, len(data)-at)
		x := make([]byte, beatBytes)
		if r != nil && n < beatBytes {
			x = block.RandomBytes(r, beatBytes)
		}
		copy(x, data[at:at+n])
		all = append(all, beat{x, keepOf(n), at+n == len(data)})
	}
	return all
}

// link is a half of the kernel.
type link interface {
	begin()
	finish() // nothing new comes any more
	drive()
	check() error
	left() bool
}

// run runs halves for some cycles, and until all has gone.
func runLinks(b *block.Bench, cycles int, halves ...link) error {
	b.Reset()
	b.Step()
	for _, h := range halves {
		h.begin()
	}
	for cycle := range cycles + 3000 {
		left := cycle < cycles
		for _, h := range halves {
			if left = left || h.left(); cycle == cycles {
				h.finish()
			}
			h.drive()
		}
		if !left {
			return nil
		}
		b.Step()
		for _, h := range halves {
			if err := h.check(); err != nil {
				return err
			}
		}
	}
	return errors.New("something does not go")
}

func transmits(b *block.Bench, r *rand.Rand) error {
	x := newAxisTransmit(b, r, id, true, func(port string) string {
		return map[string]string{"tx_meta": "meta", "tx_data": "data", "tx_status": "status", "net_tx": "net"}[port]
	})
	refused, sent, contended := 0, 0, 0
	for range 5 {
		if err := runLinks(b, 1500, x); err != nil {
			return err
		}
		refused, sent, contended = refused+x.refused, sent+x.sent, contended+x.contended
	}
	if refused < 20 || sent < 50 || contended < 100 {
		return fmt.Errorf("only %d packets went, %d were refused, and %d engines waited for others", sent, refused, contended)
	}
	return nil
}

func receives(b *block.Bench, r *rand.Rand) error {
	x := newAxisReceive(b, r, true, func(port string) string {
		if port == "net_rx" {
			return "net"
		}
		return port
	})
	packets, parts := 0, 0
	for range 5 {
		if err := runLinks(b, 1500, x); err != nil {
			return err
		}
		packets, parts = packets+x.packets, parts+x.parts
	}
	if packets < 50 || parts < 20 {
		return fmt.Errorf("only %d packets were read, %d parts", packets, parts)
	}
	return nil
}

// kernel has both halves.
func networkKernel(b *block.Bench, r *rand.Rand) error {
	at := func(port string) string {
		switch port {
		case "net_tx", "net_rx":
			return port
		case "tx_meta", "tx_data", "read_pkg":
			return "s_axis_tcp_" + port
		}
		return "m_axis_tcp_" + port
	}
	out, in := newAxisTransmit(b, r, id, false, at), newAxisReceive(b, r, false, at)
	in.credits = out.free
	in.freed = func(engine int) { out.owed[engine]++ }
	in.mayCredit = func(engine int) int {
		if out.freed[engine] == 0 {
			return 0
		}
		return 1 + r.IntN(out.freed[engine])
	}
	out.returned = func(engine, count int) { in.under[engine] -= count }
	sent, packets := 0, 0
	for range 4 {
		if err := runLinks(b, 1500, out, in); err != nil {
			return err
		}
		sent, packets = sent+out.sent, packets+in.packets
	}
	if sent < 30 || packets < 30 {
		return fmt.Errorf("only %d packets went, %d came", sent, packets)
	}
	return nil
}
