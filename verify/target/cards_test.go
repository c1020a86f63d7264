package target_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/bringup"
	"github.com/cclforge/cclforge/driver/capi"
	"github.com/cclforge/cclforge/driver/cluster"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/driverview"
	"github.com/cclforge/cclforge/verify/emu"
	"github.com/cclforge/cclforge/verify/fakecards/xrt"
	"github.com/cclforge/cclforge/verify/internal/ranktest"
	"github.com/cclforge/cclforge/verify/target"
	"github.com/cclforge/cclforge/verify/world"
)

// cards is a host with cards for some ranks, at the addresses that they get.
func cards(t *testing.T, platform string, ranks int, o ...emu.Options) *xrt.Host {
	t.Helper()
	all, err := cluster.Addresses(cluster.DefaultNetwork, cluster.DefaultPort, ranks)
	assert.NilError(t, err)
	return xrt.Start(t, designtest.Load(t, platform, nil), ranks,
		xrt.HostOptions{Empty: true, World: world.Options{Ranks: all, Engine: append(o, emu.Options{})[0]}})
}

// TestCards: a process with all ranks, and processes with one each.
func TestCards(t *testing.T) {
	for _, test := range []struct {
		platform  string
		processes int
	}{{"u55c_udp", 1}, {"u55c_tcp", 1}, {"u280_axis3x", 1}} {
		t.Run(test.platform, func(t *testing.T) {
			const ranks = 3
			h := cards(t, test.platform, ranks)
			worlds, errs := open(t, "card:"+h.Xclbin+",library="+h.Dir(), test.processes, target.Options{Ranks: ranks})
			assert.NilError(t, errors.Join(errs...))
			assert.Check(t, is.Equal(worlds[0].Platform.Name, test.platform), "the platform")
			sum(t, worlds, ranks)
			for _, w := range worlds {
				assert.Check(t, w.Close())
			}
			xrt.Returned(t, h)
		})
	}
}

// TestCardsOfTheLibrary: the C interface with cards of one platform alone. At the end rank 1 does not send what rank 0
// waits for.
func TestCardsOfTheLibrary(t *testing.T) {
	const ranks = 2
	h := cards(t, "u55c_tcp", ranks, emu.Options{RemoteTimeout: 2 * time.Second})
	d := designtest.Load(t, "u55c_tcp", nil)
	p := driverview.Of(d)
	design, err := driverview.Card(d)
	assert.NilError(t, err)
	openCards := capi.Cards(&p, &design)
	for text, want := range map[string]error{"u55c_tcp": capi.ErrWorld, "card:": capi.ErrWorld,
		"card:nix.xclbin": bringup.ErrOption} {
		_, err := openCards(t.Context(), capi.Options{World: text, Env: environment("CCLFORGE_SIZE=x")})
		assert.Check(t, is.ErrorIs(err, want), "%s", text)
	}
	at := ranktest.Free(t).String()
	var group errgroup.Group
	var errs [ranks]error
	for rank := range ranks {
		group.Go(func() error {
			w, err := openCards(t.Context(), capi.Options{World: "card:" + h.Xclbin + ",library=" + h.Dir(),
				Env: environment(fmt.Sprintf("%s CCLFORGE_MEET=%s OMPI_COMM_WORLD_RANK=%d OMPI_COMM_WORLD_SIZE=%d "+
					"OMPI_COMM_WORLD_LOCAL_RANK=%d", secret, at, rank, ranks, rank))})
			if err != nil {
				return err
			}
			if err := ranktest.Sum[int32](w.Context, w.Engines[0], 5000, 1); err != nil || rank != 0 {
				_, late := w.Joined.Exchange(w.Context, nil)
				return errors.Join(err, late, w.Close())
			}
			b, err := accl.Alloc[int32](w.Context, w.Engines[0], 1)
			if err == nil {
				_, errs[0] = w.Engines[0].Recv(w.Context, b, 1, 1)
				_, err = w.Joined.Exchange(w.Context, nil)
			}
			return errors.Join(err, w.Close())
		})
	}
	assert.NilError(t, group.Wait())
	accused(t, errs[:], []int{0}, accl.NotCalled, 1, "rank 1 has not called: it is in no call; its last one, allreduce")
	xrt.Returned(t, h)
}

func TestCardTexts(t *testing.T) {
	h := cards(t, "u55c_udp", 1)
	damaged := filepath.Join(t.TempDir(), "damaged.xclbin")
	assert.NilError(t, os.WriteFile(damaged, []byte("xclbin2"), 0o644))
	for text, want := range map[string]string{
		"card:":                                       "card:file.xclbin is expected",
		"card:missing.xclbin":                         "no such file",
		"card:" + damaged:                             "not an .xclbin file",
		"card:" + h.Xclbin + ",nix":                   `"nix": no such setting`,
		"card:" + h.Xclbin + ",fec=maybe":             `"fec=maybe": no such setting`,
		"card:" + h.Xclbin + ",port=70000":            `"port=70000"`,
		"card:" + h.Xclbin + ",network=10.0.0.300/24": `"network=10.0.0.300/24"`,
		"card:" + h.Xclbin + ",network=10.0.0.255/24": "no address for the rank",
		"card:" + h.Xclbin + ",library=/nowhere":      "XRT is not there",
	} {
		_, err := target.Open(t.Context(), target.Options{On: text, Ranks: 2, Env: environment("")})
		assert.Check(t, err != nil && strings.Contains(err.Error(), want), "%s: %v, want %s", text, err, want)
	}
}
