package conformance_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/verify/conformance"
)

// TestOperationWithoutReference plants an operation that the package knows nothing of: it is one of the
// operations, and its cases fail rather than be left out.
func TestOperationWithoutReference(t *testing.T) {
	ctx := limited(t, time.Minute)
	_, engines := emulated(ctx, t, "u55c_tcp", 2)
	p := engines[0].Platform()
	planted := *p.Operation("allreduce")
	planted.Name, planted.Value = "unheard_of", 16
	p.Operations = append(slices.Clone(p.Operations), planted)
	assert.Check(t, slices.Contains(conformance.Operations(p), "unheard_of"),
		"%v has no unheard_of", conformance.Operations(p))
	err := conformance.Plain(p, "unheard_of", accl.TypeFloat32, 16).Run(ctx, engines)
	assert.Check(t, errors.Is(err, conformance.ErrReference) && errors.Is(err, conformance.ErrCase), "error %v", err)
}
