package bench

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
)

// TestRecordingIsMeasured: each way to record a world has its row, beside that of none.
func TestRecordingIsMeasured(t *testing.T) {
	var out bytes.Buffer
	o := Recording{Platform: "u55c_udp", Ranks: 2, Bytes: 64, Calls: 3, Runs: 1}
	assert.NilError(t, o.Run(t.Context(), t.TempDir(), &out, io.Discard))
	for _, row := range []string{"nothing", "calls, for Prometheus", "events", "events and packets, for a timeline",
		"packets, for Wireshark"} {
		assert.Check(t, strings.Contains(out.String(), "\n"+row+" "), "%s", out.String())
	}
}
