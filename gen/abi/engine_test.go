package abi_test

import (
	"fmt"
	"math/bits"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/gen/abi"
)

func constant(t *testing.T, g *abi.Generation, name string) int {
	t.Helper()
	for _, c := range g.Constants {
		if c.Name == name {
			return int(c.Value)
		}
	}
	t.Fatalf("%s has no constant %q", g.Name, name)
	return 0
}

// What firmware and engine agree on fits together.
func TestEngineIsConsistent(t *testing.T) {
	for name, g := range shipped(t) {
		t.Run(name, func(t *testing.T) {
			equal := func(what string, got, want int) {
				t.Helper()
				assert.Check(t, is.Equal(got, want), "%s", what)
			}
			window := g.Memory("call_window")
			equal("words of a call", window.Word("words").Count, len(g.Record(abi.Call).Words))
			equal("payload of a datagram", constant(t, g, "max_udp_payload_bytes"),
				constant(t, g, "max_packet_bytes")-constant(t, g, "header_bytes"))
			equal("header", g.Layout(abi.MessageHeader).Width, 8*constant(t, g, "header_bytes"))

			queues := constant(t, g, "move_queues")
			equal("queues with room", len(g.Layout("move_room").Fields), queues)
			for q := range queues {
				for _, r := range []string{"completed", "error"} {
					if status := g.RegisterMap("move_status"); !hasRegister(status, fmt.Sprintf("%s_%d", r, q)) {
						t.Errorf("queue %d has no register %s", q, r)
					}
				}
			}
			control := g.Layout("move_control")
			for field, codes := range map[string]string{
				"op0": "move_operand", "op1": "move_operand", "result": "move_result",
				"op0_step": "move_step", "op1_step": "move_step", "result_step": "move_step",
				"message_type": "message_type",
			} {
				if field == "message_type" && !g.Features["rendezvous"] {
					continue
				}
				values := g.Enum(codes).Values
				assert.Check(t, fieldBits(t, control, field) >= bits.Len32(values[len(values)-1].Value),
					"%s of move_control is too narrow for %s", field, codes)
			}
			equal("queue of move_control", 1<<fieldBits(t, control, "queue"), queues)

			exchange := g.Memory(abi.Exchange)
			equal("exchange memory as the processor sees it", int(exchange.ProcessorBase), 0x30000+int(exchange.Base))
			for _, m := range g.Registers {
				if m.Name == abi.HostControl {
					continue
				}
				last := m.Registers[len(m.Registers)-1]
				assert.Check(t, m.Base>>12 == 0x20 && (m.Base+last.At)>>12 == 0x20,
					"the register map %s leaves the engine's page", m.Name)
			}
		})
	}
}

func hasRegister(m *abi.RegisterMap, name string) bool {
	for _, r := range m.Registers {
		if r.Name == name {
			return true
		}
	}
	return false
}

func fieldBits(t *testing.T, l *abi.Layout, name string) int {
	t.Helper()
	for _, f := range l.Fields {
		if f.Name == name {
			return f.Bits()
		}
	}
	t.Fatalf("%s has no field %q", l.Name, name)
	return 0
}
