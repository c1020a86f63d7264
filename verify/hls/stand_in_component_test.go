package hls_test

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/gen/nightly"
)

// beats are those that the driver makes, from number k on, as an echo gives them.
func beats(k, n int) []string {
	var all []string
	for ; n > 0; n-- {
		all = append(all, beat(k, 64, 8))
		k++
	}
	return all
}

// beat is number k of the driver's at a port of some bytes and bits of TDEST.
func beat(k, bytes, dest int) string {
	data := strings.Repeat("00", 64-bytes)
	for i := bytes - 1; i >= 0; i-- {
		data += fmt.Sprintf("%02x", byte(k+i))
	}
	last := 0
	if k%4 == 3 {
		last = 1
	}
	keep := ^uint64(0) >> (k % 8)
	if bytes < 64 {
		keep &= 1<<bytes - 1
	}
	return fmt.Sprintf("%s %x %x %d", data, keep, k&(1<<dest-1), last)
}

func got(k, n int) []string { return append([]string{fmt.Sprintf("got %d", n)}, beats(k, n)...) }

// lines joins steps of what is expected: strings and lists of them.
func lines(steps ...any) []string {
	var all []string
	for _, s := range steps {
		switch s := s.(type) {
		case string:
			all = append(all, s)
		case []string:
			all = append(all, s...)
		}
	}
	return all
}

var scenarios = []struct {
	name, kernel, commands string
	expected               []string
}{
	{"a component describes its kernel", "echo", "describe",
		lines("1 tested 1 in 0 512 8 out 1 512 8")},
	{"arguments are described", "called", "describe",
		lines("1 tested 0 out 1 512 8 answer 0 32 0 count 0x10 32 0 sum 0x18 64 1")},
	{"beats come back unchanged", "echo", "open 16 put 0 9 run get 1 20 count 0 count 1 moved 0 moved 1 run close",
		lines("put 9", "reads 0 calls 2 text ''", got(0, 9), "count 16", "count 0", "moved 9", "moved 9",
			"reads 0 calls 2 text ''", "destroyed 0")},
	{"ports of one beat press back", "echo",
		"open 1 put 0 3 run put 0 3 count 0 run put 0 1 count 0 count 1 get 1 5 run get 1 5 run get 1 5 close",
		lines("put 1", "reads 0 calls 0 text ''", "put 1", "count 0", "writes 1 calls 0 text ''", "put 1",
			"count 0", "count 1",
			got(0, 1), "writes 1 calls 0 text ''", got(1, 1), "reads 0 calls 0 text ''", got(2, 1), "destroyed 0")},
	{"another thread may go on", "echo", "open 1 put 0 1 run-elsewhere put 0 1 run get 1 1 run-elsewhere get 1 1 close",
		lines("put 1", "reads 0 calls 0 text ''", "put 1", "writes 1 calls 0 text ''", got(0, 1), "reads 0 calls 0 text ''",
			got(1, 1), "destroyed 0")},
	{"exceptions go along to another thread", "catches", "open 4 run put 0 2 run-elsewhere put 0 1 run get 1 5 close",
		lines("reads 0 calls 0 text ''", "put 2", "reads 0 calls 2 text ''", "put 1", "reads 0 calls 3 text ''",
			got(0, 3), "destroyed 0")},
	{"ports of the wrong side do not move beats", "echo", "open 2 put 1 1 get 0 1 put 7 1 get 7 1 count 7 moved 7 close",
		lines("put 0", "got 0", "put 0", "got 0", "count 0", "moved 0", "destroyed 0")},
	{"narrow beats use the low bytes, their own keep and TDEST", "narrow", "open 4 put 0 4 run get 1 4 close",
		lines("put 4", "reads 0 calls 4 text ''", "got 4",
			strings.Repeat("00", 61)+"020100 7 0 0", strings.Repeat("00", 61)+"030201 7 0 1",
			strings.Repeat("00", 61)+"040302 7 0 0", strings.Repeat("00", 61)+"050403 7 0 1", "destroyed 0")},
	{"elements without side channels travel, too", "plain", "open 4 put 0 2 run get 1 4 close",
		lines("put 2", "reads 0 calls 2 text ''", "got 2",
			strings.Repeat("00", 60)+"40800000 f 0 0", strings.Repeat("00", 60)+"40900000 f 0 0", "destroyed 0")},
	{"a kernel that polls comes back and sees what is new", "polls",
		"open 2 run put 1 1 run get 2 5 run put 0 1 put 1 1 run put 0 2 run count 0 get 2 2 run get 2 5 close",
		lines("polls -1 calls 0 text ''", "put 1", "polls -1 calls 0 text ''", got(0, 1), "polls -1 calls 0 text ''",
			"put 1", "put 1", "polls -1 calls 0 text ''", "put 2", "polls -1 calls 0 text ''", "count 0",
			got(1, 2), "polls -1 calls 0 text ''", got(3, 2), "destroyed 0")},
	{"a kernel that waits for its own stream polls", "waits_inside", "open 2 run run close",
		lines("polls -1 calls 0 text ''", "polls -1 calls 0 text ''", "destroyed 0")},
	{"a kernel that only returns polls", "idles", "open 2 run run close",
		lines("polls -1 calls 64 text ''", "polls -1 calls 128 text ''", "destroyed 0")},
	{"an empty inner stream fails with its name and the beats", "lookup",
		"open 8 put 0 2 run get 1 5 put 0 1 run get 1 5 run moved 1 put 0 1 close",
		lines("put 2", "reads 0 calls 0 text ''", "got 0", "put 1",
			"failed -1 calls 0 text 'kernel tested: a read of the stream \"table\", which is empty, after 3 elements (beats: "+
				"3 read from in, 3 written to out)'",
			got(0, 3),
			"failed -1 calls 0 text 'kernel tested: a read of the stream \"table\", which is empty, after 3 elements (beats: "+
				"3 read from in, 3 written to out)'",
			"moved 3", "put 1", "destroyed 1")},
	{"a called kernel runs when it is started", "called",
		"open 4 run start 2 start 2 run get 0 3 put 1 1 run get 0 3 put 1 1 run memory start 1 run get 0 3 close",
		lines("idle -1 calls 0 text ''", "started 1", "started 0", "reads 1 calls 0 text ''", "got 1",
			strings.Repeat("00", 63)+"64 ffffffffffffffff 0 1", "put 1", "reads 1 calls 0 text ''", "got 1",
			strings.Repeat("00", 63)+"65 ffffffffffffffff 1 1", "put 1", "idle -1 calls 1 text ''",
			fmt.Sprintf("memory %d", 0x03020100+0x04030201), "started 1", "reads 1 calls 1 text ''", "got 1",
			strings.Repeat("00", 63)+"64 ffffffffffffffff 0 1", "destroyed 0")},
	{"free kernels cannot be started", "echo", "open 1 start 1 close", lines("started 0", "destroyed 0")},
	{"closing destroys what a waiting kernel holds", "holds", "open 1 put 0 2 run close",
		lines("put 1", "reads 0 calls 0 text ''", "destroyed 5")},
	{"closing destroys what a blocked kernel holds", "holds", "open 1 put 0 1 run put 0 1 run close",
		lines("put 1", "reads 0 calls 0 text ''", "put 1", "writes 1 calls 0 text ''", "destroyed 5")},
	{"closing ends a kernel that catches everything", "swallows", "open 1 run close",
		lines("reads 0 calls 0 text ''", "destroyed 0")},
	{"closing what has never run", "holds", "open 1 close", lines("destroyed 1")},
	{"tables that do not fit the streams are found", "mislabelled", "open 1 run put 0 1 run close",
		lines(
			"failed -1 calls 0 text 'kernel tested: port 1 is an output out of 512 bits and 8 bits of dest, expected an "+
				"output out of 256 bits and 8 bits of dest'",
			"put 1",
			"failed -1 calls 0 text 'kernel tested: port 1 is an output out of 512 bits and 8 bits of dest, expected an "+
				"output out of 256 bits and 8 bits of dest'",
			"destroyed 0")},
	{"components leave nothing behind", "holds", "cycles 10000", lines("mappings stay")},
}

// mistakes are what the kernel does at its n-th beat, and what is said of it.
var mistakes = []string{
	"a write to in, which is an input",
	"a read of out, which is an output",
	"throws something that is not a std::exception",
	"bits (512, 0) of an ap_uint<512>: expected 0 to 511",
	"bit 512 of an ap_uint<512>: expected 0 to 511",
	"a division by zero",
	"of its own",
	"a write to in, which is an input",
	"a read of out, which is an output",
}

// programs of kernels are built once a kernel, from a compiled header and the same objects.
type programs struct {
	headers string
	flags   []string
	objects []string
	built   map[string]string
}

func newPrograms(t testing.TB, flags ...string) *programs {
	flags = append(flags, "-pthread", "-Winvalid-pch")
	p := &programs{headers: standInHeaders(t), flags: flags, built: map[string]string{}}
	header := p.headers + "/component.hpp"
	compiled := build(t, p.headers, append([]string{"-x", "c++-header", header}, p.flags...)...)
	assert.NilError(t, os.Rename(compiled, header+".gch"))
	for _, file := range []string{p.headers + "/component.cpp", "testdata/driver.cpp"} {
		p.objects = append(p.objects, build(t, p.headers, append([]string{"-c", file}, p.flags...)...))
	}
	return p
}

func (p *programs) of(t testing.TB, kernel string) string {
	t.Helper()
	if p.built[kernel] == "" {
		args := append([]string{"-DTESTED=" + kernel, "testdata/kernels.cpp"}, p.objects...)
		p.built[kernel] = build(t, p.headers, append(args, p.flags...)...)
	}
	return p.built[kernel]
}

func checkScenarios(t *testing.T, flags ...string) {
	p := newPrograms(t, flags...)
	for _, s := range scenarios {
		program := p.of(t, s.kernel)
		t.Run(s.name, func(t *testing.T) {
			have := run(t, program, strings.Fields(s.commands)...)
			assert.Check(t, is.Equal(strings.Join(have, "\n"), strings.Join(s.expected, "\n")),
				"%s of %s", s.commands, s.kernel)
		})
	}
	program := p.of(t, "mistakes")
	for n, text := range mistakes {
		t.Run(fmt.Sprintf("mistake %d is told", n), func(t *testing.T) {
			commands := strings.Repeat("open 1 put 0 1 close ", n) + "open 1 put 0 1 run close"
			have := run(t, program, strings.Fields(commands)...)
			want := fmt.Sprintf("failed -1 calls 0 text 'kernel tested: %s (beats: 1 read from in, 0 written to out)'", text)
			assert.Check(t, is.Equal(have[len(have)-2], want))
		})
	}
}

func TestComponents(t *testing.T) {
	t.Parallel()
	checkScenarios(t, nightly.Of("-O0", "-O2"))
}

func TestComponentsUnderSanitizers(t *testing.T) {
	nightly.Only(t)
	t.Parallel()
	checkScenarios(t, "-O0", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
}

func BenchmarkEcho(b *testing.B) {
	program := newPrograms(b, "-O2").of(b, "echo")
	for b.Loop() {
		text := strings.TrimPrefix(run(b, program, "open", "16", "bench", "500")[0], "beats/s ")
		rate, err := strconv.ParseFloat(text, 64)
		assert.NilError(b, err)
		b.ReportMetric(rate, "beats/s")
	}
}
