package xrt_test

import (
	"errors"
	"slices"
	"strings"
	"syscall"
	"testing"

	"gotest.tools/v3/assert"

	driver "github.com/cclforge/cclforge/driver/xrt"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/driverview"
	"github.com/cclforge/cclforge/verify/fakecards/xrt"
)

// TestAnXRTThatCannotAttach: a card that holds the file is given it again, which leaves it
// as it is, also with Keep; what else is wrong with attaching is an error.
func TestAnXRTThatCannotAttach(t *testing.T) {
	const attach, load = "xrtDeviceLoadXclbinUUID", "xrtDeviceLoadXclbin"
	d := designtest.Load(t, "u55c_udp", nil)
	lies, err := driverview.Card(d)
	assert.NilError(t, err)
	for _, test := range []struct {
		name  string
		empty bool
		fails map[string]syscall.Errno
		loads int
		want  error // nil for none
		says  string
	}{
		{"it can", false, nil, 0, nil, ""},
		{"it cannot", false, map[string]syscall.Errno{attach: syscall.ENOTSUP}, 1, nil, ""},
		{"another process uses the card", false, map[string]syscall.Errno{attach: syscall.EBUSY}, 0, syscall.EBUSY, attach},
		{"it cannot, and another process uses the card", false, map[string]syscall.Errno{attach: syscall.ENOTSUP,
			load: syscall.EBUSY}, 1, syscall.EBUSY, load},
		{"an empty card", true, map[string]syscall.Errno{attach: syscall.ENOTSUP}, 0, driver.ErrLoaded, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := xrt.Start(t, d, 1, xrt.HostOptions{Empty: test.empty})
			for function, errno := range test.fails {
				assert.NilError(t, h.Fail(function, 1, errno))
			}
			c, err := driver.Open(t.Context(), &lies, driver.Options{Xclbin: h.Xclbin, Library: h.Dir(), Keep: true})
			if !errors.Is(err, test.want) || (err == nil) != (test.want == nil) || err != nil &&
				!strings.Contains(err.Error(), test.says) {
				t.Errorf("%v, want %v", err, test.want)
			}
			if err == nil {
				assert.Check(t, !c.Fresh(), "it says that it has loaded the card")
				assert.NilError(t, c.Close())
			}
			loads := 0
			for _, call := range slices.DeleteFunc(h.Calls(), func(c xrt.Call) bool { return c.Function != load }) {
				loads += call.Times
			}
			assert.Check(t, loads == test.loads, "the card was given a file %d times", loads)
			xrt.Returned(t, h)
		})
	}
}
