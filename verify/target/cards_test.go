package target_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/driver/bringup"
	"github.com/cclforge/cclforge/driver/capi"
	"github.com/cclforge/cclforge/driver/cluster"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/driverview"
	"github.com/cclforge/cclforge/verify/fakecards/xrt"
	"github.com/cclforge/cclforge/verify/internal/ranktest"
	"github.com/cclforge/cclforge/verify/target"
	"github.com/cclforge/cclforge/verify/world"
)

// cards is a host with cards for some ranks, at the addresses that they get.
func cards(t *testing.T, platform string, ranks int) *xrt.Host {
	t.Helper()
	all, err := cluster.Addresses(cluster.DefaultNetwork, cluster.DefaultPort, ranks)
	assert.NilError(t, err)
	return xrt.Start(t, designtest.Load(t, platform, nil), ranks,
		xrt.HostOptions{Empty: true, World: world.Options{Ranks: all}})
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

// TestCardsOfTheLibrary: the C interface with cards of one platform alone.
func TestCardsOfTheLibrary(t *testing.T) {
	const ranks = 2
	h := cards(t, "u55c_tcp", ranks)
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
	at := meet(t)
	var group errgroup.Group
	for rank := range ranks {
		group.Go(func() error {
			w, err := openCards(t.Context(), capi.Options{World: "card:" + h.Xclbin + ",library=" + h.Dir(),
				Env: environment(fmt.Sprintf("%s CCLFORGE_MEET=%s OMPI_COMM_WORLD_RANK=%d OMPI_COMM_WORLD_SIZE=%d "+
					"OMPI_COMM_WORLD_LOCAL_RANK=%d", secret, at, rank, ranks, rank))})
			if err != nil {
				return err
			}
			return errors.Join(ranktest.Sum[int32](w.Context, w.Engines[0], 5000, 1), w.Close())
		})
	}
	assert.NilError(t, group.Wait())
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
