package hls_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/gen/designtest"
)

// local and global are what the methods of ACCLCommand have in common: tags that
// nobody asks for are 0.
func local(c call) call { return plain(c) }

func global(c call) call { return shared(c) }

// compatible are the methods of accl_hls::ACCLCommand and what kernels of today send
// by them; recv has its destination in operand 1.
var compatible = []method{
	{call: "copy(7, A0, A2)", want: local(call{scenario: 1, count: 7, addr0: a0, addr2: a2})},
	{call: "combine(8, A0, A1, A2)", want: local(call{scenario: 2, count: 8, addr0: a0, addr1: a1, addr2: a2})},
	{call: "send(9, 5, 3, A0)", want: global(call{scenario: 3, count: 9, tag: 5, rootSrcDst: 3, addr0: a0})},
	{call: "stream_put(10, 9, 2, A0)",
		want: global(call{scenario: 3, count: 10, tag: 9, rootSrcDst: 2, stream: 2, addr0: a0})},
	{call: "stream_put(10, 246, 2, A0)",
		want: global(call{scenario: 3, count: 10, tag: 246, rootSrcDst: 2, stream: 2, addr0: a0})},
	{call: "recv(11, 6, 1, A2)", want: global(call{scenario: 4, count: 11, tag: 6, rootSrcDst: 1, addr1: a2})},
	{call: "bcast(12, 4, A0)", want: global(call{scenario: 5, count: 12, rootSrcDst: 4, addr0: a0})},
	{call: "scatter(13, 4, A0, A2)", want: global(call{scenario: 6, count: 13, rootSrcDst: 4, addr0: a0, addr2: a2})},
	{call: "gather(14, 4, A0, A2)", want: global(call{scenario: 7, count: 14, rootSrcDst: 4, addr0: a0, addr2: a2})},
	{call: "reduce(15, 4, 1, A0, A2)",
		want: global(call{scenario: 8, count: 15, rootSrcDst: 4, function: 1, addr0: a0, addr2: a2})},
	{call: "all_gather(16, A0, A2)", want: global(call{scenario: 9, count: 16, addr0: a0, addr2: a2})},
	{call: "all_reduce(17, 1, A0, A2)", want: global(call{scenario: 10, count: 17, function: 1, addr0: a0, addr2: a2})},
	{call: "reduce_scatter(18, 1, A0, A2)",
		want: global(call{scenario: 11, count: 18, function: 1, addr0: a0, addr2: a2})},
	{call: "scan(18, 1, A0, A2)", only: []string{g2024},
		want: global(call{scenario: 14, count: 18, function: 1, addr0: a0, addr2: a2})},
	{call: "exscan(18, 1, A0, A2)", only: []string{g2024},
		want: global(call{scenario: 15, count: 18, function: 1, addr0: a0, addr2: a2})},
	{call: "ext_stream_krnl(19, A0, A2)", only: []string{g2021},
		want: local(call{scenario: 12, count: 19, addr0: a0, addr2: a2})},
	{call: "barrier()", only: []string{g2022, g2024}, want: call{scenario: 12, comm: comm}},
	{call: "all_to_all(20, A0, A2)", only: []string{g2022, g2024},
		want: global(call{scenario: 13, count: 20, addr0: a0, addr2: a2})},
	{call: "nop()", want: call{scenario: 255}},
}

// halves are calls that are placed and finished apart; numbers are the operations'
// macros.
var halves = []method{
	{call: "stream_put_nb(10, 9, 2, A0)",
		want: global(call{scenario: 3, count: 10, tag: 9, rootSrcDst: 2, stream: 2, addr0: a0})},
	{call: "reduce_nb(15, 4, 1, A0, A2)",
		want: global(call{scenario: 8, count: 15, rootSrcDst: 4, function: 1, addr0: a0, addr2: a2})},
	{call: "reduce_nb(15, 4, 1)", want: func() call {
		c := global(call{scenario: 8, count: 15, rootSrcDst: 4, function: 1})
		c.stream = 3
		return c
	}()},
	{call: "start_call(ACCL_ALLREDUCE, 1, 2, 3, 4, 5, 6, 7, 8, A0, A1, A2)",
		want: call{10, 1, 2, 3, 4, 5, 6, 7, 8, a0, a1, a2}},
}

// macros of the operations, as the contract numbers them.
var macros = map[string]map[string]uint32{
	"": {
		"ACCL_CONFIG": 0, "ACCL_COPY": 1, "ACCL_COMBINE": 2, "ACCL_SEND": 3, "ACCL_RECV": 4, "ACCL_BCAST": 5,
		"ACCL_SCATTER": 6,
		"ACCL_GATHER":  7, "ACCL_REDUCE": 8, "ACCL_ALLGATHER": 9, "ACCL_ALLREDUCE": 10, "ACCL_REDUCE_SCATTER": 11,
		"ACCL_NOP": 255,
	},
	g2021: {"ACCL_EXT_STREAM_KRNL": 12},
	g2022: {"ACCL_BARRIER": 12, "ACCL_ALLTOALL": 13},
	g2024: {"ACCL_BARRIER": 12, "ACCL_ALLTOALL": 13},
}

// TestCompatibleMethodsSendTheWordsOfToday: what kernels of today call sends what it
// has always sent.
func TestCompatibleMethodsSendTheWordsOfToday(t *testing.T) {
	for _, g := range generations {
		t.Run(g.name, func(t *testing.T) {
			var s steps
			for i, m := range compatible {
				if len(m.only) == 0 || slices.Contains(m.only, g.name) {
					answer := uint32(0x40000001 + i)
					s.step(fmt.Sprintf("p.answer(%#xU); c.%s; r = %#xU; if (!p.sts.empty()) { r = 0; }", answer, m.call, answer),
						answer, m.want)
				}
			}
			for i, m := range halves {
				answer := uint32(0x20000001 + i)
				s.step(fmt.Sprintf("c.%s; p.answer(%#xU); r = c.finalize_call();", m.call, answer), answer, m.want)
			}
			s.step(
				"accl_hls::start(ACCL_COPY, 1, 2, 3, 4, 5, 6, 7, 8, A0, A1, A2, p.cmd); p.answer(9); r = "+
					"accl_hls::finalize(p.sts);", 9,
				call{1, 1, 2, 3, 4, 5, 6, 7, 8, a0, a1, a2})
			s.step("p.answer(1); c.reduce(1, 2, 1, A2); r = 0;", 0, call{8, 1, comm, 2, 1, 0, config, compression, 1, 0, 0, a2})
			s.step("p.answer(1); c.reduce(1, 2, 1); r = 0;", 0, call{8, 1, comm, 2, 1, 0, config, compression, 3, 0, 0, 0})
			// Nothing is sent, and no answer is waited for.
			s.step("c.stream_put(1, 247, 0, A0); c.stream_put_nb(1, 247, 0, A0); r = 1;", 1)
			s.step("accl_hls::ACCLCommand bare(p.cmd, p.sts); p.answer(1); bare.send(1, 2, 3, A0); r = 0;", 0,
				call{scenario: 3, count: 1, tag: 2, rootSrcDst: 3, addr0: a0})
			for _, set := range []map[string]uint32{macros[""], macros[g.name]} {
				for name, code := range set {
					s.step(fmt.Sprintf("static_assert(%s == %d, \"\"); r = %s;", name, code, name), code)
				}
			}
			s.run(t, g.platform, "accl_hls.h", "    accl_hls::ACCLCommand c(p.cmd, p.sts, 0x120, 0x440, 0xD, 0x1);")
		})
	}
}

// TestKernelsOfTodayCompileUnchanged: with and without the macro that their build
// defines, on the oldest and the latest generation.
func TestKernelsOfTodayCompileUnchanged(t *testing.T) {
	const want = "put 3:14:20:7:0:9:30:0:3:0\n" + "doubled 2.000000 40.000000, stored 101.000000 120.000000, 2 beats\n" +
		"forwarded 3\n" + "scheduled 3:8:1:2:0:0:5:0:3:0\n" + "tagged 3:9:30:1:0:4d:40:0:0:0 4:9:30:1:0:4d:40:0:0:2\n" +
		"drained 2 to 6\n" +
		"handed 7 8, token 1\n" + "chose 2, answered, passed 1:10:0:0:0:0:0:0:3:0\n"
	for _, kernels := range []struct{ generation, platform, macro string }{
		{g2021, "u280_manual", "ACCL_SYNTHESIS"}, {g2024, "u55c_tcp", ""},
	} {
		t.Run(kernels.generation+" "+kernels.macro, func(t *testing.T) {
			dir := bindingHeaders(t, designtest.Load(t, kernels.platform, nil))
			for _, name := range []string{"scale_put.h", "scale_put.cpp", "exchange.cpp", "today.cpp"} {
				source(t, dir, name)
			}
			more := []string{"-fno-strict-aliasing"} // kernels of today reinterpret words as numbers
			expected := want
			if kernels.macro != "" {
				more = append(more, "-D"+kernels.macro)
			} else {
				expected = "moved 2\n" + want
			}
			got := execute(t, dir, runTime, buildKernel(t, dir, []string{"scale_put.cpp", "exchange.cpp", "today.cpp"}, more...))
			assert.Check(t, is.DeepEqual(sorted(expected), sorted(got)), "-want +")
		})
	}
}

// sorted are the lines of a text, in order: the two ways to print do not wait for
// each other.
func sorted(text string) []string {
	lines := strings.Split(text, "\n")
	slices.Sort(lines)
	return lines
}
