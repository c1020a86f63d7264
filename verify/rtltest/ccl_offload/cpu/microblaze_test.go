package cpu

import (
	"encoding/binary"
	"errors"
	"flag"
	"testing"

	"gotest.tools/v3/assert"

	. "github.com/cclforge/cclforge/verify/emu/rv32/rv32test"
	"github.com/cclforge/cclforge/verify/rtlsim/verilate"
)

var vendorInstructions = flag.Int("tb.vendor", 400_000,
	"instructions of random programs behind the buses of the vendor's core")

func TestRandomProgramsBehindTheVendorsBuses(t *testing.T) {
	randomPrograms(t, MicroBlazeV, *vendorInstructions)
}

func TestFirmwareBootsBehindTheVendorsBuses(t *testing.T) { firmwareBoots(t, MicroBlazeV) }

// A core that goes on after an error of the bus is stopped at its next access,
// which has no effect, and the first error is told.
func TestErrorsThatTheVendorsCoreIgnoresStopIt(t *testing.T) {
	for _, next := range []Instruction{Store("sw", a0, 0x300, 0), Load("lw", a1, 0x300, 0), Store("sw", a0, 8, s1),
		Load("lw", a1, 8, s1)} {
		core, err := New(t.Context(), MicroBlazeV, 1, ramBytes, "", "+ignores_errors")
		if errors.Is(err, verilate.ErrTools) {
			t.Skip(err)
		}
		assert.NilError(t, err)
		t.Cleanup(core.Close)
		program := Program(LI(s1, 0x20000), LI(a0, 0x12345678), Store("sh", a0, 6, s1), nops(10), next,
			Store("sw", a0, 0x304, 0), JAL(0, 0))
		for i := 0; i < len(program); i += 4 {
			core.RAM[i/4] = binary.LittleEndian.Uint32(program[i:])
		}
		core.RAM[0x300/4], core.RAM[0x304/4] = 7, 7
		if stop, _ := core.Run(1000); stop != Accessing || core.Access().Address != 0x20006 {
			t.Fatalf("%v: it stops for %v: %+v %s", next, stop, core.Access(), core.Fault())
		}
		core.Answer(3, 0, true)
		stop, _ := core.Run(1000)
		// What stands in for the vendor's core does not wait for the RAM: it goes on, in vain.
		got := core.Halt()
		got.Instruction = 0 // any of those that it has gone on to
		if want := (Halt{Cause: 7, Address: 0x20006}); stop != Halted && stop != Broken || got != want {
			t.Errorf("%v: it ends with %v, %+v, not %+v %s", next, stop, got, want, core.Fault())
		}
		if core.RAM[0x300/4] != 7 || core.RAM[0x304/4] != 7 {
			t.Errorf("%v: it goes on: %x, %x", next, core.RAM[0x300/4], core.RAM[0x304/4])
		}
	}
}
