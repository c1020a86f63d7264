package report_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/verify/internal/report"
)

// Work of 25 s has a line at its beginning, one at 10 s and one at 20 s, and none once
// it has ended.
func TestWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		ctx := report.With(t.Context(), report.Lines(&out))
		stop := report.Watch(ctx, "compiling the kernel 100% sum")
		time.Sleep(25 * time.Second)
		stop()
		stop()
		time.Sleep(time.Minute)
		const want = "compiling the kernel 100% sum\ncompiling the kernel 100% sum: 10s\ncompiling the kernel 100% sum: 20s\n"
		assert.Check(t, is.Equal(out.String(), want))
		report.Watch(t.Context(), "nobody listens")()
	})
}
