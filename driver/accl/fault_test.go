package accl_test

import (
	"errors"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/driver/accl"
)

// TestFaults holds what a failed call says against words that an engine has left: the record fault of
// platforms/abi/since-2022.hcl, and collective_shape of common.hcl.
func TestFaults(t *testing.T) {
	const timeout, mismatch = 1 << 11, 1 << 27
	allreduce := uint32(10 | 1<<4) // max
	for _, c := range []struct {
		name    string
		code    accl.ReturnCode
		words   [8]uint32 // but for the communicator
		refused bool
		says    []string
	}{
		{"a message that does not come", timeout, [8]uint32{0, 2, timeout, 5, 17, 0xFFFFFFFF, 4000, 30000}, false,
			[]string{"no message of rank 2", "sequence number 17", "any tag", "4000 bytes", "in collective 5",
				"30s", "remote_timeout_ms"}},
		{"one with a tag", timeout, [8]uint32{0, 2, timeout, 0, 17, 9, 0, 500}, false, []string{"tag 9, within 500ms"}},
		{"another call", mismatch, [8]uint32{0, 2, mismatch, 5, 4, 1000, allreduce, 0}, false,
			[]string{"rank 2 called allreduce of 1000 elements (max), its collective 4",
				"this call is collective 5 here, allreduce of 10 elements of float32 (sum)"}},
		{"after an agreement", mismatch, [8]uint32{0, 2, mismatch, 0x20003, 0x20002, 0, 12, 0}, false,
			[]string{"rank 2 called barrier, its collective 2.2", "collective 2.3 here"}},
		{"another root", mismatch, [8]uint32{0, 2, mismatch, 5, 5, 3, 5 | 1<<8, 0}, false,
			[]string{"bcast of 3 elements with root 1"}},
		{"one that failed", mismatch, [8]uint32{0, 2, mismatch, 5, 5, 1000, allreduce, timeout}, false,
			[]string{"rank 2: allreduce", "failed with RECEIVE_TIMEOUT"}},
		{"refused", mismatch, [8]uint32{0, 0, mismatch, 0, 5, 1000, allreduce, timeout}, true,
			[]string{"rank 0: allreduce", "call Recover"}},
		{"a rank that recovers", mismatch, [8]uint32{0, 0, mismatch, 0, 5, 0, 0, 0}, true,
			[]string{"rank 0 has called Recover"}},
		{"words of another code", mismatch, [8]uint32{0, 2, timeout, 0, 17, 9, 0, 500}, false,
			[]string{"the same collective calls in the same order"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx := within(t)
			e, d := opened(t, "u55c_tcp")
			buffer := alloc[float32](t, e, d, 10)
			c.words[0] = e.World().Address()
			for i, word := range c.words {
				d.setReg(d.word("fault")+4*uint32(i), word)
			}
			d.reply = func(placed) accl.ReturnCode { return c.code }
			_, err := e.AllReduce(ctx, buffer, buffer, 10, accl.Sum)
			assert.Check(t, errors.Is(err, c.code) && errors.Is(err, accl.ErrBroken) == c.refused, "%v", err)
			for _, want := range c.says {
				assert.Check(t, is.Contains(err.Error(), want), "%v\nlacks", err)
			}
		})
	}
}

// TestBroken says what broke the communicator, until all is well again.
func TestBroken(t *testing.T) {
	for _, name := range []string{"u55c_tcp", "u280_2022", "u280_manual"} {
		t.Run(name, func(t *testing.T) {
			ctx := within(t)
			e, d := opened(t, name)
			buffer := alloc[float32](t, e, d, 10)
			code := accl.ReturnCode(1 << 11)
			d.reply = func(p placed) accl.ReturnCode {
				if p.Scenario == 0 {
					return 0
				}
				return code
			}
			call := func() error {
				_, err := e.AllReduce(ctx, buffer, buffer, 10, accl.Sum)
				return err
			}
			if err := call(); !errors.Is(err, code) || errors.Is(err, accl.ErrBroken) {
				t.Errorf("the first one: %v", err)
			}
			if code = 1 << 27; name != "u280_manual" {
				d.setReg(d.word("fault"), e.World().Address())
				d.setReg(d.word("fault")+8, uint32(code))
			}
			if err := call(); !errors.Is(err, accl.ErrBroken) ||
				!strings.Contains(err.Error(), "allreduce failed with RECEIVE_TIMEOUT") {
				t.Errorf("a further one: %v", err)
			}
			d.taken()
			assert.NilError(t, e.Recover(ctx))
			if calls := d.taken(); len(calls) != 1 || calls[0].Scenario != 0 || calls[0].FunctionCode != 16 ||
				calls[0].Call.Comm != e.World().Address() {
				t.Errorf("%+v", calls)
			}
			if code = 0; call() != nil {
				t.Error("after Recover")
			}
		})
	}
	var none *accl.Comm
	assert.Check(t, is.ErrorIs(none.Recover(within(t)), accl.ErrNotMember))
}
