package driverview_test

import (
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/driverview"
)

// TestContract compares a platform with the tables of the interface contract.
func TestContract(t *testing.T) {
	for name, want := range map[string]struct {
		generation, stack string
		features          accl.Features
		base, limit       uint32
		hardwareID        uint32 // offset
		header, record    string
		barrier           bool
		configFunctions   string
		bit16             string
		host              accl.OperandFlags
	}{
		"u280_manual": {
			generation: "accl-2021", stack: "tcp", features: accl.Features{EngineSessions: true}, base: 0x800, limit: 0xFF8,
			hardwareID: 0xFF8, header: "count", record: "addrl addrh max_len dma_tag status rx_tag rx_len rx_src seq",
			configFunctions: "reset_periph enable_pkt set_timeout open_port open_con set_stack_type set_max_segment_size " +
				"recover",
			bit16: "OPEN_PORT_NOT_SUCCEEDED",
		},
		"u280_2022": {
			generation: "accl-2022", stack: "tcp", features: accl.Features{EngineSessions: true, ConfigReady: true},
			limit:      0x1F64,
			hardwareID: 0x1FF8, header: "count", record: "status addrl addrh max_len rx_tag rx_len rx_src seq", barrier: true,
			configFunctions: "reset_periph enable_pkt set_timeout open_port open_con set_stack_type set_max_segment_size " +
				"recover",
			bit16: "OPEN_PORT_NOT_SUCCEEDED",
		},
		"u55c_rdma": {
			generation: "accl-2024", stack: "rdma", limit: 0x1F64, hardwareID: 0x1FF8,
			features: accl.Features{ConfigReady: true, Rendezvous: true, HostOperands: true, Tuning: true},
			header:   "count size", record: "status addrl addrh rx_tag rx_len rx_src seq", barrier: true,
			configFunctions: "reset_periph enable_pkt set_timeout set_max_eager_msg_size set_max_rendezvous_msg_size " +
				"own_peers recover",
			bit16: "EAGER_THRESHOLD_INVALID", host: accl.OperandFlags{Op0: 0x100, Op1: 0x200, Result: 0x400},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := driverview.Of(designtest.Load(t, name, nil))
			assert.Check(t, p.Name == name && p.Generation == want.generation && p.Stack == want.stack,
				"%s, %s, %s", p.Name, p.Generation, p.Stack)
			assert.Check(t, p.Features == want.features && p.HostFlags == want.host,
				"features %+v, host flags %+v", p.Features, p.HostFlags)
			assert.Check(t, p.Exchange.Base == want.base && p.Exchange.Limit == want.limit,
				"exchange memory from 0x%X to 0x%X", p.Exchange.Base, p.Exchange.Limit)
			for _, w := range p.Exchange.Words {
				assert.Check(t, w.Name != "hardware_id" || w.At == want.hardwareID, "hardware id at 0x%X", w.At)
			}
			rx := p.Exchange.Tables[0]
			if rx.At != want.base || strings.Join(rx.Header, " ") != want.header || strings.Join(rx.Record, " ") != want.record {
				t.Errorf("rx buffers %+v", rx)
			}
			o := p.Operation("barrier")
			barrier := o != nil && o.Value == 12
			assert.Check(t, barrier == want.barrier, "barrier: %t", barrier)
			var functions []string
			for i, c := range p.ConfigFunctions {
				if c.Name == "recover" { // an extension, behind what others may come to have
					i = 16
				}
				assert.Check(t, is.Equal(c.Value, uint32(i)), "%s", c.Name)
				functions = append(functions, c.Name)
			}
			assert.Check(t, is.Equal(strings.Join(functions, " "), want.configFunctions), "config functions")
			assert.Check(t, is.Equal(accl.BitNames(p.Describe(1<<16|1<<11)), "RECEIVE_TIMEOUT|"+want.bit16), "return code")
			assert.Check(t, p.HardwareID.Mask == 0xBF && p.TagAny == 0xFFFFFFFF && p.MaxPutTag == 246 && p.BeatBytes == 64,
				"mask 0x%X, any tag 0x%X, largest put %d, beat %d", p.HardwareID.Mask, p.TagAny, p.MaxPutTag, p.BeatBytes)
			if want := (accl.OperandFlags{Op0: 1, Op1: 2, Result: 4, Ethernet: 8}); p.CompressionFlags != want {
				t.Errorf("compression flags %+v", p.CompressionFlags)
			}
			if want := (accl.OperandFlags{Op0: 1, Result: 2}); p.StreamFlags != want {
				t.Errorf("stream flags %+v", p.StreamFlags)
			}
		})
	}
}
