package target_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	driver "github.com/cclforge/cclforge/driver/coyote"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/verify/fakecards/coyote"
	"github.com/cclforge/cclforge/verify/internal/ranktest"
	"github.com/cclforge/cclforge/verify/target"
)

// shells is a host with cards in the shell for some ranks, which texts reach.
func shells(t *testing.T, ranks int) *coyote.Host {
	t.Helper()
	h := coyote.Start(t, designtest.Load(t, "u55c_rdma", nil), ranks, coyote.HostOptions{})
	target.Register(target.Shells(func() driver.System { return h.Process() }))
	t.Cleanup(func() { target.Register(target.Shells(nil)) })
	return h
}

// TestShells: a process with all ranks, and processes with one each.
func TestShells(t *testing.T) {
	const ranks = 3
	t.Run("one process", func(t *testing.T) {
		h := shells(t, ranks)
		worlds, errs := open(t, "coyote:u55c_rdma", 1, target.Options{Ranks: ranks})
		assert.NilError(t, errors.Join(errs...))
		sum(t, worlds, ranks)
		assert.Check(t, worlds[0].Close())
		coyote.Returned(t, h)
	})
	t.Run("processes", func(t *testing.T) {
		h := shells(t, ranks)
		worlds, errs := openShells(t, ranks, func(int) string { return "coyote:u55c_rdma" })
		assert.NilError(t, errors.Join(errs...))
		sum(t, worlds, ranks)
		closeAll(t, worlds)
		coyote.Returned(t, h)
	})
	// What is wrong with the card of a rank, all ranks say.
	t.Run("no such card", func(t *testing.T) {
		h := shells(t, ranks)
		_, errs := openShells(t, ranks, func(rank int) string {
			if rank == 1 {
				return "coyote:u55c_rdma,card=7"
			}
			return "coyote:u55c_rdma"
		})
		for rank, err := range errs {
			if err == nil || !strings.Contains(err.Error(), "no such card") || !strings.Contains(err.Error(), "rank 1") {
				t.Errorf("rank %d: %v", rank, err)
			}
		}
		coyote.Returned(t, h)
	})
}

// openShells opens a world of processes on one host.
func openShells(t *testing.T, ranks int, on func(rank int) string) ([]*target.World, []error) {
	worlds, errs := make([]*target.World, ranks), make([]error, ranks)
	at := ranktest.Free(t).String()
	var group sync.WaitGroup
	for i := range ranks {
		env := environment(
			fmt.Sprintf("%s OMPI_COMM_WORLD_RANK=%d OMPI_COMM_WORLD_SIZE=%d OMPI_COMM_WORLD_LOCAL_RANK=%d CCLFORGE_MEET=%s",
				secret, i, ranks, i, at))
		group.Go(func() {
			worlds[i], errs[i] = target.Open(t.Context(), target.Options{On: on(i), Timeout: 20 * time.Second, Env: env})
		})
	}
	group.Wait()
	return worlds, errs
}

func closeAll(t *testing.T, worlds []*target.World) {
	var group sync.WaitGroup
	for _, w := range worlds {
		group.Go(func() {
			assert.Check(t, w.Close())
		})
	}
	group.Wait()
}

func TestShellTexts(t *testing.T) {
	shells(t, 1)
	for text, want := range map[string]string{
		"coyote:":                                    "coyote:platform is expected",
		"coyote:nix":                                 "nix",
		"coyote:u55c_tcp":                            "u55c_tcp is linked by v++",
		"coyote:u55c_rdma,nix":                       `"nix": no such setting`,
		"coyote:u55c_rdma,card=a":                    `"card=a"`,
		"coyote:u55c_rdma,card=1":                    "/dev/coyote_fpga_1_v0",
		"coyote:u55c_rdma,port=70000":                `"port=70000"`,
		"coyote:u55c_rdma,network=10.0.0.300/24":     `"network=10.0.0.300/24"`,
		"coyote:u55c_rdma,network=10.0.0.255/24":     "no address for the rank",
		"coyote:u55c_rdma,card=0,network=fe80::1/64": "no address for the rank",
	} {
		_, err := target.Open(t.Context(), target.Options{On: text, Ranks: 2, Env: environment("")})
		assert.Check(t, is.ErrorContains(err, want), "%s", text)
	}
}
