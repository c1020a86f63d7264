package selftest_test

import (
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	driver "github.com/cclforge/cclforge/driver/coyote"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/verify/conformance/selftest"
	"github.com/cclforge/cclforge/verify/fakecards/coyote"
	"github.com/cclforge/cclforge/verify/target"
)

// TestShellsAreRight runs over cards in the Coyote shell that are not there.
func TestShellsAreRight(t *testing.T) {
	const ranks = 3
	h := coyote.Start(t, designtest.Load(t, "u55c_rdma", nil), ranks, coyote.HostOptions{})
	target.Register(target.Shells(func() driver.System { return h.Process() }))
	t.Cleanup(func() { target.Register(target.Shells(nil)) })
	r, table, err := run(t, target.Options{On: "coyote:u55c_rdma", Ranks: ranks}, selftest.Options{Seed: 3})
	assert.Check(t, err == nil && r.Failed == 0 && strings.Contains(table, "cases are right"), "%v\n%s", err, table)
}
