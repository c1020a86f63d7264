package compare

import (
	"context"
	"testing"
	"time"
)

// generations are platforms whose engines differ.
var generations = []string{"u55c_tcp", "u55c_udp", "u55c_rdma", "u280_2022", "u280_manual"}

// TestTwoEmulatorsDoTheSame compares a world with another one of the same kind: what
// depends on when things arrive is no difference.
func TestTwoEmulatorsDoTheSame(t *testing.T) {
	for _, platform := range generations {
		t.Run(platform, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			w := load(t, platform)
			w.open(ctx, t, 3, [2]kind{emulated(t, w.design), emulated(t, w.design)})
			w.all(ctx, t, 3, 2)
		})
	}
}
