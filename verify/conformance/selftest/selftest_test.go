package selftest_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/bringup"
	"github.com/cclforge/cclforge/verify/conformance"
	"github.com/cclforge/cclforge/verify/conformance/selftest"
	"github.com/cclforge/cclforge/verify/internal/ranktest"
	"github.com/cclforge/cclforge/verify/target"
	"github.com/cclforge/cclforge/verify/world"
)

// nobody is an environment without variables.
func nobody(string) (string, bool) { return "", false }

func run(t *testing.T, where target.Options, o selftest.Options) (*selftest.Report, string, error) {
	t.Helper()
	where.Env = bringup.Lookup(nobody)
	w, err := target.Open(t.Context(), where)
	assert.NilError(t, err)
	t.Cleanup(func() { w.Close() })
	var out strings.Builder
	r, err := selftest.Run(t.Context(), w, o, &out)
	return r, out.String(), err
}

func TestWorldsAreRight(t *testing.T) {
	for _, test := range []struct {
		platform string
		ranks    int
	}{{"u55c_tcp", 4}, {"u55c_udp", 3}, {"u280_2022", 2}, {"u280_manual", 2}, {"u55c_rdma", 1}, {"u55c_axis3x", 3}} {
		t.Run(test.platform, func(t *testing.T) {
			r, table, err := run(t, target.Options{On: test.platform, Ranks: test.ranks}, selftest.Options{Seed: 3})
			assert.Assert(t, err == nil && r.Failed == 0 && strings.Contains(table, "cases are right"), "%v\n%s", err, table)
			// All that the generation has, as its description lists it.
			p, err := world.Platform(test.platform, "")
			assert.NilError(t, err)
			for _, code := range p.Operations {
				has := slices.ContainsFunc(r.Rows, func(row selftest.Row) bool { return row.Operation == code.Name })
				// Recv is part of send, config of every opening; kernels call ext_stream_krnl, of 2021; a put
				// needs a stream that leads back.
				if !has && !slices.Contains([]string{"recv", "config", "ext_stream_krnl"}, code.Name) &&
					(code.Name != "stream_put" || conformance.Loopback(p)) {
					t.Errorf("%s is not tested", code.Name)
				}
			}
		})
	}
}

func TestThorough(t *testing.T) {
	if testing.Short() {
		t.Skip("short")
	}
	r, table, err := run(t, target.Options{On: "u55c_tcp", Ranks: 3}, selftest.Options{Thorough: true, Seed: 5})
	assert.Check(t, err == nil && r.Cases >= 1000, "%v\n%s", err, table)
}

// What is listed has every root, border, type, reduction and compression.
func TestList(t *testing.T) {
	p, err := world.Platform("u55c_tcp", "")
	assert.NilError(t, err)
	const ranks = 3
	has := func(o selftest.Options, what string, is func(c conformance.Case) bool) {
		t.Helper()
		assert.Check(t, slices.ContainsFunc(selftest.List(p, ranks, o), is), "nothing has %s", what)
	}
	quick := selftest.Options{}
	for root := range ranks {
		has(quick, "the root", func(c conformance.Case) bool { return c.Op == "gather" && c.Root == root })
		has(quick, "the source", func(c conformance.Case) bool { return c.Op == "send" && c.Root == root && c.Peer != root })
	}
	// The platform's file: 16 buffers of 4096 bytes; the driver sets eager messages to 64 KiB at most.
	eager := max(p.Limits.MaxEagerBytes, p.RxBuffers.Bytes) / 4
	for _, count := range []int{1, 1023, 1024, 1025, eager, eager + 1} {
		has(quick, "the border", func(c conformance.Case) bool {
			return c.Op == "allreduce" && c.Op0 == accl.TypeFloat32 && c.Wire == "" && c.Count == count
		})
	}
	for _, f := range p.Functions {
		has(quick, string(f.Name)+" of "+string(f.Type), func(c conformance.Case) bool {
			return c.Op == "reduce" && c.Func == f.Name && c.Op0 == f.Type && c.Wire == ""
		})
	}
	has(quick, "compression", func(c conformance.Case) bool { return c.Op == "bcast" && c.Wire == accl.TypeFloat16 })
	has(quick, "a conversion", func(c conformance.Case) bool { return c.Op == "copy" && c.Op0 != c.Res })
	thorough := selftest.Options{Thorough: true}
	has(thorough, "some ranks", func(c conformance.Case) bool { return c.Op == "alltoall" && c.Members != nil })
	has(thorough, "rank 2 as root of int64", func(c conformance.Case) bool {
		return c.Op == "bcast" &&
			c.Op0 == accl.TypeInt64 && c.Root == 2
	})
	for _, c := range selftest.List(p, ranks, thorough) {
		assert.Check(t, !c.Streams() || c.Count*c.ElementBytes(p) <= 4096, "more than kernel streams hold: %s", c)
	}
	for _, c := range selftest.List(p, ranks, selftest.Options{Only: []string{"scatter"}}) {
		assert.Check(t, c.Op == "scatter", "%v", c)
	}
}

// broken is an engine that does not do what it is asked for.
type broken struct {
	device
	edit func(*accl.Call) error
}

type device interface {
	accl.Device
	accl.SessionOpener
}

func (b *broken) Start(ctx context.Context, client int, c accl.Call) (accl.Ticket, error) {
	if err := b.edit(&c); err != nil {
		return 0, err
	}
	return b.device.Start(ctx, client, c)
}

var errWorn = errors.New("the engine is worn out")

// An operation that nothing is known of ends the self-test; it is not left out.
func TestOperationWithoutReference(t *testing.T) {
	emulated := target.Kinds()[0]
	target.Register(target.Kind{Name: "planted", Form: "planted:platform",
		Open: func(ctx context.Context, r *target.Request) (*target.Part, error) {
			part, err := emulated.Open(ctx, r)
			if err == nil {
				o := *part.Platform.Operation("allgather")
				o.Name, o.Value = "spread", 99
				part.Platform.Operations = append(slices.Clone(part.Platform.Operations), o)
			}
			return part, err
		}})
	_, table, err := run(t, target.Options{On: "planted:u55c_tcp", Ranks: 2},
		selftest.Options{Only: []string{"nop", "spread"}})
	assert.Check(t, errors.Is(err, conformance.ErrReference) && strings.Contains(err.Error(), `"spread"`),
		"%v\n%s", err, table)
}

// The rank, the operation and the first wrong element are said, and what comes after
// a failure is tested all the same.
func TestBrokenEnginesAreFound(t *testing.T) {
	p, err := world.Platform("u55c_tcp", "")
	assert.NilError(t, err)
	code := func(name string) uint32 {
		i := slices.IndexFunc(p.Operations, func(c accl.Operation) bool { return c.Name == name })
		return p.Operations[i].Value
	}
	emulated := target.Kinds()[0]
	target.Register(target.Kind{Name: "broken", Form: "broken:platform",
		Open: func(ctx context.Context, r *target.Request) (*target.Part, error) {
			part, err := emulated.Open(ctx, r)
			if err == nil {
				part.Devices[1] = &broken{part.Devices[1].(device), func(c *accl.Call) error {
					if c.Scenario == code("copy") && c.Count == 37 && c.StreamFlags == 0 {
						c.Count -= 2
					}
					return nil
				}}
				part.Devices[2] = &broken{part.Devices[2].(device), func(c *accl.Call) error {
					if c.Scenario == code("combine") && c.Count == 1 {
						return errWorn
					}
					return nil
				}}
			}
			return part, err
		}})
	r, table, err := run(t, target.Options{On: "broken:u55c_tcp", Ranks: 3}, selftest.Options{})
	assert.Assert(t, errors.Is(err, selftest.ErrWrong), "%v\n%s", err, table)
	var failures []selftest.Failure
	for _, row := range r.Rows {
		if row.Failed != len(row.Failures) || row.Failed > 0 && row.Type != "float32" {
			t.Errorf("%+v", row)
		}
		failures = append(failures, row.Failures...)
	}
	assert.Assert(t, r.Failed == 2 && len(failures) == 2, "%d failures: %+v", r.Failed, failures)
	f := failures[0]
	if f.Case.Op != "copy" || f.Case.Count != 37 || len(f.Troubles) != 1 || f.Troubles[0].Rank != 1 ||
		f.Troubles[0].Element == nil ||
		f.Troubles[0].Element.Index != 35 || f.Troubles[0].Element.Wrong != 2 {
		t.Errorf("%+v", f)
	}
	f = failures[1]
	if f.Case.Op != "combine" || f.Troubles[0].Rank != 2 || f.Troubles[0].Element != nil ||
		!strings.Contains(f.Troubles[0].What, errWorn.Error()) {
		t.Errorf("%+v", f)
	}
	for _, text := range []string{"copy of 37 elements: rank 1, result", "element 35 is", "combine of 1 element: rank 2: ",
		"2 of ", `-case='{"Op":"copy"`} {
		assert.Check(t, strings.Contains(table, text), "the table does not say %q:\n%s", text, table)
	}
	text, err := json.Marshal(r)
	var again selftest.Report
	assert.Check(t, err == nil && json.Unmarshal(text, &again) == nil && again.Failed == 2, "%s, %v", text, err)
	// What is printed is what repeats it.
	r, _, err = run(t, target.Options{On: "broken:u55c_tcp", Ranks: 3},
		selftest.Options{Cases: []conformance.Case{failures[0].Case}})
	assert.Check(t, errors.Is(err, selftest.ErrWrong) && r.Cases == 1 && r.Failed == 1, "%+v, %v", r, err)
}

func TestOperationsThatAreNot(t *testing.T) {
	p, err := world.Platform("u280_manual", "")
	assert.NilError(t, err)
	o := selftest.Options{Only: []string{"copy", "alltoall"}}
	if err := o.Check(p); !errors.Is(err, conformance.ErrCase) ||
		!strings.Contains(err.Error(), `u280_manual has no operation "alltoall"; it has copy`) {
		t.Error(err)
	}
}

// together runs the self-test as so many processes would, and gives rank 0's report.
func together(t *testing.T, on string, processes int, o selftest.Options) (*selftest.Report, []error) {
	t.Helper()
	meet := ranktest.Free(t).String()
	reports, errs := make([]*selftest.Report, processes), make([]error, processes)
	var group sync.WaitGroup
	for rank := range processes {
		vars := map[string]string{"CCLFORGE_RANK": strconv.Itoa(rank), "CCLFORGE_SIZE": strconv.Itoa(processes),
			"CCLFORGE_MEET": meet, "CCLFORGE_SECRET": "0123456789abcdef"}
		group.Go(func() {
			w, err := target.Open(t.Context(),
				target.Options{On: on, Env: func(name string) (string, bool) { v, there := vars[name]; return v, there }})
			if err != nil {
				errs[rank] = err
				return
			}
			defer w.Close()
			var out strings.Builder
			reports[rank], errs[rank] = selftest.Run(t.Context(), w, o, &out)
			assert.Check(t, (out.Len() > 0) == (rank == 0), "rank %d prints %q", rank, out.String())
		})
	}
	group.Wait()
	for rank, r := range reports[1:] {
		assert.Check(t, r == nil, "rank %d reports, too", rank+1)
	}
	return reports[0], errs
}

// Rank 0 reports what another process has seen, and all of them go on together.
func TestSeveralProcesses(t *testing.T) {
	p, err := world.Platform("u55c_tcp", "")
	assert.NilError(t, err)
	code := func(name string) uint32 {
		i := slices.IndexFunc(p.Operations, func(c accl.Operation) bool { return c.Name == name })
		return p.Operations[i].Value
	}
	emulated := target.Kinds()[0]
	var edit func(rank int, c *accl.Call) error
	target.Register(target.Kind{Name: "spread", Form: "spread:platform",
		Open: func(ctx context.Context, r *target.Request) (*target.Part, error) {
			part, err := emulated.Open(ctx, r)
			if err == nil {
				rank := r.Local[0]
				part.Devices[0] = &broken{part.Devices[0].(device), func(c *accl.Call) error { return edit(rank, c) }}
			}
			return part, err
		}})
	for _, test := range []struct {
		name string
		edit func(rank int, c *accl.Call) error
		only string
		want int // failures
		rank int
		text string
	}{
		{"all is well", func(int, *accl.Call) error { return nil }, "copy,allreduce,barrier", 0, 0, ""},
		{"an element is missing", func(rank int, c *accl.Call) error {
			if rank == 2 && c.Scenario == code("copy") && c.Count == 37 {
				c.Count--
			}
			return nil
		}, "copy,allreduce", 1, 2, "element 36 is"},
		{"barriers do nothing", func(_ int, c *accl.Call) error {
			if c.Scenario == code("barrier") {
				c.Scenario = code("nop")
			}
			return nil
		}, "barrier", 3, 1, "although rank 0 came 200ms late"},
	} {
		t.Run(test.name, func(t *testing.T) {
			edit = test.edit
			r, errs := together(t, "spread:u55c_tcp", 3, selftest.Options{Only: strings.Split(test.only, ",")})
			for rank, err := range errs {
				if errors.Is(err, selftest.ErrWrong) != (test.want > 0) || test.want == 0 && err != nil {
					t.Fatalf("rank %d: %v", rank, err)
				}
			}
			assert.Assert(t, r.Failed == test.want && r.Ranks == 3, "%+v", r)
			for _, row := range r.Rows {
				if len(row.Failures) > 0 {
					f := row.Failures[0]
					assert.Check(t, f.Troubles[0].Rank == test.rank && strings.Contains(f.Troubles[0].What, test.text), "%+v", f)
				}
			}
		})
	}
}
