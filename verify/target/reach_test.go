package target_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/bringup"
	"github.com/cclforge/cclforge/driver/bringup/launch"
	"github.com/cclforge/cclforge/driver/sim"
	"github.com/cclforge/cclforge/verify/internal/ranktest"
	"github.com/cclforge/cclforge/verify/server/host"
	"github.com/cclforge/cclforge/verify/target"
	"github.com/cclforge/cclforge/verify/world"
)

// environment looks variables up in a text of name=value pairs.
func environment(text string) bringup.Lookup {
	vars := map[string]string{}
	for pair := range strings.FieldsSeq(text) {
		name, value, _ := strings.Cut(pair, "=")
		vars[name] = value
	}
	return func(name string) (string, bool) { v, there := vars[name]; return v, there }
}

const secret = " CCLFORGE_SECRET=0123456789abcdef "

// open opens the parts of a world as so many processes would.
func open(t *testing.T, on string, processes int, o target.Options) ([]*target.World, []error) {
	t.Helper()
	o.On, o.Timeout = on, time.Minute
	worlds, errs := make([]*target.World, processes), make([]error, processes)
	at := ranktest.Free(t).String()
	var group sync.WaitGroup
	for i := range processes {
		o := o
		o.Env = environment(fmt.Sprintf("%s CCLFORGE_RANK=%d CCLFORGE_SIZE=%d CCLFORGE_MEET=%s", secret, i, processes, at))
		if processes == 1 {
			o.Env = environment("")
		}
		group.Go(func() { worlds[i], errs[i] = target.Open(t.Context(), o) })
	}
	group.Wait()
	t.Cleanup(func() {
		var group sync.WaitGroup
		for _, w := range worlds {
			if w != nil {
				group.Go(func() {
					assert.Check(t, w.Close())
				})
			}
		}
		group.Wait()
	})
	return worlds, errs
}

// sum has all ranks of all processes add up their numbers, and checks it.
func sum(t *testing.T, worlds []*target.World, ranks int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var group sync.WaitGroup
	for _, w := range worlds {
		assert.Check(t, w.Size == ranks, "%d ranks; expected are %d", w.Size, ranks)
		group.Go(func() {
			err := w.Each(func(i int) error {
				e := w.Engines[i]
				assert.Check(t, e.Rank() == w.Local[i], "rank %d is opened as %d", w.Local[i], e.Rank())
				return ranktest.Sum[int32](ctx, e, 5000, 1)
			})
			assert.Check(t, err)
			all, err := w.Exchange(ctx, fmt.Append(nil, w.Local))
			if err != nil || len(all) != len(worlds) || string(all[len(all)-1]) != fmt.Sprint(worlds[len(worlds)-1].Local) {
				t.Errorf("%q, %v", all, err)
			}
		})
	}
	group.Wait()
}

func TestWorlds(t *testing.T) {
	here, err := launch.Here(t.Context(), 3)
	assert.NilError(t, err)
	port, err := host.FreePorts(3 * host.PortsPerRank)
	assert.NilError(t, err)
	d, err := world.Design("u55c_tcp", "")
	assert.NilError(t, err)
	h, err := host.Start(t.Context(), d, host.Options{World: here, Serve: true, Endpoints: sim.Endpoints{Port: port}})
	assert.NilError(t, err)
	t.Cleanup(func() { h.Close() })
	for _, test := range []struct {
		on               string
		ranks, processes int
		what             string
	}{
		{"u55c_tcp", 4, 1, "emulated"},
		{"emulated:u55c_udp", 1, 1, "emulated"},
		{"u55c_tcp", 3, 3, "emulated, in memory"},
		{"u55c_udp", 4, 4, "emulated, in memory"},
		{"u55c_rdma", 2, 2, "emulated, in memory"},
		{"u280_2022", 2, 2, "emulated, in memory"},
		{fmt.Sprint("sim:", port), 3, 1, fmt.Sprint("served at 127.0.0.1:", port)},
		{fmt.Sprint("sim:localhost:", port), 3, 3, fmt.Sprint("served at localhost:", port)},
	} {
		t.Run(fmt.Sprint(test.on, "/", test.processes), func(t *testing.T) {
			o := target.Options{Ranks: test.ranks}
			worlds, errs := open(t, test.on, test.processes, o)
			assert.NilError(t, errors.Join(errs...))
			for i, w := range worlds {
				assert.Check(t, w.What == test.what && w.Reports() == (i == 0) && w.Alone() == (test.processes == 1),
					"process %d has %q, reports %v, is alone %v", i, w.What, w.Reports(), w.Alone())
			}
			sum(t, worlds, test.ranks)
		})
	}
}

func TestProcessesThatDoNotFit(t *testing.T) {
	at := ranktest.Free(t).String()
	var group sync.WaitGroup
	for rank, on := range []string{"u55c_tcp", "u55c_udp"} {
		group.Go(func() {
			w, err := target.Open(t.Context(),
				target.Options{On: on, Env: environment(fmt.Sprintf("%s CCLFORGE_RANK=%d CCLFORGE_SIZE=2 CCLFORGE_MEET=%s",
					secret, rank, at))})
			assert.Check(t, errors.Is(err, bringup.ErrDiffers) && w == nil, "rank %d: %v", rank, err)
		})
	}
	group.Wait()
}

func TestARankIsMissing(t *testing.T) {
	at := ranktest.Free(t).String()
	var group sync.WaitGroup
	for rank := range 2 {
		group.Go(func() {
			o := target.Options{On: "u55c_tcp", Timeout: time.Second,
				Env: environment(fmt.Sprintf("%s CCLFORGE_RANK=%d CCLFORGE_SIZE=3 CCLFORGE_MEET=%s", secret, rank, at))}
			_, err := target.Open(t.Context(), o)
			assert.Check(t, errors.Is(err, bringup.ErrMissing) && strings.Contains(err.Error(), "rank 2"),
				"rank %d: %v", rank, err)
		})
	}
	group.Wait()
}

func TestMistakes(t *testing.T) {
	two := secret + " CCLFORGE_RANK=1 CCLFORGE_SIZE=2 CCLFORGE_MEET="
	for _, test := range []struct {
		o    target.Options
		env  string
		kind error
		text string
	}{
		{target.Options{On: "fpga:0"}, "", target.ErrText,
			`"fpga:0"; there are a platform by its name, verilated:platform, sim:host:port`},
		{target.Options{On: "sim:a:b"}, "", target.ErrText, `"b" is no port`},
		{target.Options{On: "sim:1:2:3"}, "", target.ErrText, "too many colons"},
		{target.Options{On: "sim:0"}, "", target.ErrText, `"0" is no port`},
		{target.Options{On: "sim", Platform: "nix"}, "", nil, `no platform is called "nix"`},
		{target.Options{On: "nix"}, "", nil, `no platform is called "nix"`},
		{target.Options{On: "u55c_tcp", Ranks: -1}, "", target.ErrText, "1 to 4096 ranks, not -1"},
		{target.Options{On: "u55c_tcp", Ranks: 4}, two + "127.0.0.1:9", target.ErrText, "4 ranks on 2 processes"},
		{target.Options{On: "u55c_tcp", Address: "::1"}, two + "127.0.0.1:9", target.ErrText, "no address of IPv4"},
		{target.Options{On: "u55c_tcp"}, "CCLFORGE_RANK=1 CCLFORGE_SIZE=2 CCLFORGE_MEET=a", bringup.ErrOption,
			"there is no secret"},
		{target.Options{On: "u55c_tcp"}, two + "no-such-host.invalid:9", nil, "-address says it"},
		{target.Options{On: "verilated:u55c_axis3x"}, two + "127.0.0.1:9", target.ErrText, "on their card"},
	} {
		test.o.Env = environment(test.env)
		w, err := target.Open(t.Context(), test.o)
		if err == nil || w != nil || test.kind != nil && !errors.Is(err, test.kind) ||
			!strings.Contains(err.Error(), test.text) {
			t.Errorf("%+v: %v; expected is %q", test.o, err, test.text)
		}
	}
}

// Kinds are added, and given the ranks of all before engines are opened.
func TestRegister(t *testing.T) {
	var prepared []accl.Rank
	closed := 0
	emulated := target.Kinds()[0]
	target.Register(target.Kind{Name: "test", Form: "test:platform",
		Open: func(ctx context.Context, r *target.Request) (*target.Part, error) {
			p, err := emulated.Open(ctx, r)
			if err != nil {
				return nil, err
			}
			p.Options = []accl.OpenOption{accl.WithRxBuffers(7, 1024)}
			end := p.Close
			p.Close = func() error { closed++; return end() }
			p.Prepare = func(_ context.Context, ranks []accl.Rank) ([]target.View, error) {
				prepared = ranks
				if r.Size == 1 {
					return nil, errors.New("not alone")
				}
				return nil, nil
			}
			return p, nil
		}})
	worlds, errs := open(t, "test:u55c_tcp", 1, target.Options{Ranks: 2})
	if errs[0] != nil || len(prepared) != 2 || prepared[0] == prepared[1] {
		t.Fatal(errs[0], prepared)
	}
	sum(t, worlds, 2)
	buffers, err := worlds[0].Engines[1].DumpRxBuffers(t.Context(), false)
	assert.Check(t, err == nil && len(buffers) == 7, "%d buffers, %v: options are not heard", len(buffers), err)
	if _, errs := open(t, "test:u55c_tcp", 1, target.Options{Ranks: 1}); errs[0] == nil ||
		!strings.Contains(errs[0].Error(), "not alone") || closed != 1 {
		t.Error(errs[0], closed)
	}
}
