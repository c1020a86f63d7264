package accl_test

import (
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/accl"
)

// TestCalled: calls are told with those arguments that their operation has.
func TestCalled(t *testing.T) {
	p := platformOf(t, "u55c_tcp")
	call := accl.Call{Count: 100, Comm: 0x40, RootSrcDst: 3, FunctionCode: 1, Tag: 7, ArithCfg: 0x80, StreamFlags: 2,
		Addr0: 0x1000, Addr1: 0x2000, Addr2: 0x3000}
	for name, want := range map[string]string{
		"allreduce": "allreduce of 100 elements, max, operand 0 at 0x1000, result at 0x3000, communicator at 0x40, " +
			"types at 0x80, streams 0x2",
		"send": "send of 100 elements, destination 3, tag 7, operand 0 at 0x1000, communicator at 0x40, types at 0x80, " +
			"streams 0x2",
		"bcast": "bcast of 100 elements, root 3, operand 0 at 0x1000, communicator at 0x40, types at 0x80, streams 0x2",
		"nop":   "nop, communicator at 0x40, types at 0x80, streams 0x2",
	} {
		call.Scenario = p.Operation(name).Value
		assert.Equal(t, p.Called(&call), want)
	}
	call.Scenario = 1 << 20
	assert.Equal(t, p.Called(&call), "operation_1048576 of 100 elements")
}
