package rates

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/verify/conformance"
	"github.com/cclforge/cclforge/verify/world"
)

func TestSummary(t *testing.T) {
	us := func(n ...int) []time.Duration {
		times := make([]time.Duration, len(n))
		for i, v := range n {
			times[i] = time.Duration(v) * time.Microsecond
		}
		return times
	}
	hundred := make([]int, 100)
	for i := range hundred {
		hundred[i] = 100 - i
	}
	for _, c := range []struct {
		name  string
		times []time.Duration
		bytes int
		want  Times
	}{
		{"nothing", nil, 8, Times{}},
		{"one", us(7), 14000, Times{Runs: 1, Median: 7, P99: 7, Rate: 2}},
		{"two", us(9, 3), 0, Times{Runs: 2, Median: 3, P99: 9}},
		{"odd", us(30, 10, 20), 20_000, Times{Runs: 3, Median: 20, P99: 30, Rate: 1}},
		{"hundred", us(hundred...), 0, Times{Runs: 100, Median: 50, P99: 99}},
		{"an outlier in two hundred", us(append(slices.Repeat([]int{5}, 199), 1000)...), 0,
			Times{Runs: 200, Median: 5, P99: 5}},
		{"below a microsecond", []time.Duration{250}, 500, Times{Runs: 1, Median: 0.25, P99: 0.25, Rate: 2}},
		{"no time at all", []time.Duration{0}, 500, Times{Runs: 1}},
	} {
		before := slices.Clone(c.times)
		got := summary(c.times, c.bytes)
		assert.Check(t, got == c.want, "%s: %+v, want %+v", c.name, got, c.want)
		assert.Check(t, slices.Equal(before, c.times), "%s: the times were changed", c.name)
	}
}

func TestSizesOfComparisons(t *testing.T) {
	p := platform(t, "u55c_tcp")
	for _, c := range []struct {
		name   string
		ranks  int
		counts []int // elements of a block
		of     []int // sizes that these are for
	}{
		{"allreduce", 8, []int{1, 4, 16, 1 << 18}, []int{4, 16, 64, 1 << 20}},
		{"allgather", 8, []int{1, 2, 1 << 15}, []int{4, 64, 1 << 20}},
		{"alltoall", 3, []int{1, 5, 87381}, []int{4, 64, 1 << 20}},
		{"barrier", 8, []int{0}, []int{0}},
	} {
		list := compared(p)
		op := list[slices.IndexFunc(list, func(o *operation) bool { return o.title == c.name })]
		var counts, of []int
		for _, got := range float32s(4, 16, 64, 1<<20).cases(p, c.ranks, op) {
			counts, of = append(counts, got.Count), append(of, int(got.Seed))
		}
		assert.Check(t, slices.Equal(counts, c.counts) && slices.Equal(of, c.of),
			"%s, %d ranks: %v elements for sizes %v, want %v for %v", c.name, c.ranks, counts, of, c.counts, c.of)
	}
}

func platform(t *testing.T, name string) *accl.Platform {
	t.Helper()
	p, err := world.Platform(name, "")
	assert.NilError(t, err)
	return p
}

// A real run: every operation, two ranks, two sizes.
func TestRun(t *testing.T) {
	o := DefaultComparison()
	o.Ranks, o.Sizes, o.Time, o.OpenMPI, o.Figures, o.Ways = []int{2}, []int{4, 100_000}, time.Nanosecond,
		false, false, []int{1, 3}
	var out, progress strings.Builder
	dir := t.TempDir()
	assert.NilError(t, o.Run(t.Context(), dir, &out, &progress))
	text, err := os.ReadFile(filepath.Join(dir, ResultFile))
	assert.NilError(t, err)
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	var r Compared
	assert.NilError(t, decoder.Decode(&r))
	points := 0
	for _, op := range compared(platform(t, o.Platform)) {
		assert.Check(t, strings.Contains(progress.String(), op.title) && strings.Contains(out.String(), op.title),
			"%s is not announced or not in the table", op.title)
		sizes := o.Sizes
		if !op.Operands() {
			sizes = []int{0}
		}
		for _, size := range sizes {
			points++
			p := r.point(op.title, 2, size)
			if p == nil {
				t.Errorf("%s of %d bytes is missing", op.title, size)
				continue
			}
			if p.Median <= 0 || p.P99 < p.Median || p.Runs < fewestRuns || (p.Rate > 0) != op.Operands() ||
				p.OpenMPI != nil || p.Ratio != 0 {
				t.Errorf("%s of %d bytes: %+v", op.title, size, p)
			}
		}
	}
	assert.Check(t, points == len(r.Points), "%d points, want %d", len(r.Points), points)
	assert.Check(t, r.Machine.Cores >= 1 && r.Machine.Go != "" && r.Platform == o.Platform,
		"machine %+v, platform %q", r.Machine, r.Platform)
	assert.Check(t, len(r.Ways) == 2*len(ways), "%d points of ways, want %d", len(r.Ways), 2*len(ways))
	for i, p := range r.Ways {
		want := WayPoint{Way: ways[i%len(ways)].name, Ranks: []int{1, 3}[i/len(ways)]}
		if p.Way != want.Way || p.Ranks != want.Ranks || p.Calls <= 0 || p.Small.Runs < fewestRuns || p.Bulk.Median <= 0 {
			t.Errorf("way %d is %+v, want %s on %d ranks", i, p, want.Way, want.Ranks)
		}
		assert.Check(t, strings.Contains(out.String(), p.Way), "%s is not in the table", p.Way)
	}
	wellFormed(t, r.Plot())
}

// broken is a device that changes its calls.
type broken struct {
	accl.Device
	edit func(*accl.Call) error
}

func (b *broken) Start(ctx context.Context, client int, c accl.Call) (accl.Ticket, error) {
	if err := b.edit(&c); err != nil {
		return 0, err
	}
	return b.Device.Start(ctx, client, c)
}

// A wrong result and a rank that fails end a comparison.
func TestFaultsEndAComparison(t *testing.T) {
	d, err := world.Design("u55c_udp", "") // its devices open no sessions
	assert.NilError(t, err)
	var edit func(*accl.Call) error
	w := way{"broken", func(ctx context.Context, d *design.Design, ranks int) (*reached, error) {
		r, err := inProcess.open(ctx, d, ranks)
		if err == nil {
			r.devices[1] = &broken{r.devices[1], func(c *accl.Call) error { return edit(c) }}
		}
		return r, err
	}}
	runs, worn := 0, errors.New("worn out")
	for _, c := range []struct {
		edit func(*accl.Call) error
		want error
	}{
		{func(c *accl.Call) error {
			if c.Count == 100 {
				c.Count--
			}
			return nil
		}, conformance.ErrData},
		{func(c *accl.Call) error {
			if runs++; c.Count == 100 && runs > 12 {
				return worn
			}
			return nil
		}, worn},
	} {
		edit = func(*accl.Call) error { return nil }
		g, err := w.group(t.Context(), d, 3)
		assert.NilError(t, err)
		edit = c.edit
		op, asked := g.ofBytes("copy", 400)
		_, err = g.point(t.Context(), op, asked, peers{}, time.Millisecond)
		assert.Check(t, is.ErrorIs(err, c.want), "the error")
		assert.Check(t, g.close())
	}
}

func TestComparisonsThatMakeNoSense(t *testing.T) {
	for _, change := range []func(*Comparison){
		func(o *Comparison) { o.Operations = []string{"allreduce", "allseduce"} },
		func(o *Comparison) { o.Ranks = []int{2, 0} },
		func(o *Comparison) { o.Sizes = []int{3} },
		func(o *Comparison) { o.Platform = "nowhere" },
	} {
		o := DefaultComparison()
		change(&o)
		_, err := o.Measure(t.Context(), func(string) {})
		assert.Check(t, err != nil, "no error for %+v", o)
	}
}

func TestParseTimes(t *testing.T) {
	got, err := parseTimes("1500 20 \n", 2)
	assert.Check(t, err == nil && slices.Equal(got, []time.Duration{1500, 20}), "%v, %v", got, err)
	for _, line := range []string{"", "1", "1 2 3", "1 -2", "1 x"} {
		_, err := parseTimes(line, 2)
		assert.Check(t, err != nil, "no error for %q", line)
	}
}

// OpenMPI's ranks answer every operation that there is something to compare
// with.
func TestOpenMPI(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles and starts ranks of OpenMPI")
	}
	for _, op := range compared(platform(t, "u55c_tcp")) {
		assert.Check(t, op.alone() || strings.Contains(string(mpiSource), strconv.Quote(op.title)),
			"mpi.c does not call %s", op.title)
	}
	m, err := findOpenMPI(t.Context(), t.TempDir())
	if err != nil {
		t.Skip(err)
	}
	r, err := m.start(t.Context(), 2, 1<<16)
	assert.NilError(t, err)
	p := platform(t, "u55c_tcp")
	for _, op := range compared(p) {
		if op.alone() {
			continue
		}
		times, err := r.run(op.title, float32s(1<<16).cases(p, 2, op)[0].Count, 4)
		assert.Check(t, err == nil && len(times) == 4 && slices.Min(times) > 0, "%s: %v, %v", op.title, times, err)
	}
	assert.Check(t, r.close())
}

// The loop that is simulated is its source, compiled.
func TestLoopIsItsSource(t *testing.T) {
	const gcc = "riscv64-unknown-elf-gcc"
	if _, err := exec.LookPath(gcc); err != nil {
		t.Skip(gcc + " is not installed")
	}
	elf, bin := filepath.Join(t.TempDir(), "loop.elf"), filepath.Join(t.TempDir(), "loop.bin")
	for _, args := range [][]string{
		{gcc, "-march=rv32im", "-misa-spec=2.2", "-mabi=ilp32", "-Os", "-fno-jump-tables", "-ffreestanding", "-nostdlib",
			"-Wl,-Ttext=0", "-Wl,--no-relax", "-Wl,-m,elf32lriscv", "-o", elf, "testdata/loop.c"},
		{"riscv64-unknown-elf-objcopy", "-O", "binary", "-j", ".text", elf, bin},
	} {
		text, err := exec.CommandContext(t.Context(), args[0], args[1:]...).CombinedOutput()
		assert.Assert(t, err == nil, "%v\n%s", err, text)
	}
	built, err := os.ReadFile(bin)
	assert.NilError(t, err)
	if !bytes.Equal(built, loop) {
		version, _ := exec.CommandContext(t.Context(), gcc, "-dumpversion").Output()
		t.Skipf("SKIPPED: %s makes something else of it", bytes.TrimSpace(version))
	}
}

func TestInstructionRate(t *testing.T) {
	var r Compared
	assert.NilError(t, r.instructionRate(t.Context(), nil))
	if len(r.Figures) != 1 || r.Figures[0].Value <= 0 {
		t.Errorf("%+v", r.Figures)
	}
}

// A message between engines on sockets, and the stream it is compared with,
// arrive.
func TestStreamsCarryEverything(t *testing.T) {
	s, err := newStream()
	assert.NilError(t, err)
	defer s.close()
	for i := range s.data {
		s.data[i] = byte(i * 7)
	}
	err = s.carry(t.Context())
	assert.Check(t, err == nil && bytes.Equal(s.data, s.arrived), "the stream carried something else: %v", err)
}
