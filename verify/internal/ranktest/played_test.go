package ranktest

import (
	"context"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"
)

// TestACommandThatHangs: all its processes end, also those of other sessions, and are named.
func TestACommandThatHangs(t *testing.T) {
	out, _, code, err := runFor(t.Context(), 2*time.Second, "sh", "-c", "echo begun; setsid sleep 1000 & sleep 2000")
	assert.ErrorIs(t, err, context.DeadlineExceeded)
	assert.Check(t, code == -1 && out == "begun\n", "%d %q", code, out)
	for _, want := range []string{`sleep\x001000`, `sleep\x002000`, "nanosleep"} {
		assert.Check(t, strings.Contains(err.Error(), want), "%v does not say %s", err, want)
	}
}
