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

// Arguments of the calls below, all different.
const (
	comm, config = 0x120, 0x440
	compression  = 0xD
	stream       = 0x1
	a0, a1, a2   = 0x1122334455667788, 0x99AABBCCDDEEFF00, 0x0F1E2D3C4B5A6978
	tagAny       = 0xFFFFFFFF
)

// plain is what copies and combinations have in common, and shared what operations of
// a communicator have.
func plain(c call) call {
	c.arithcfg, c.compression = config, compression
	c.stream |= stream
	return c
}

func shared(c call) call {
	c = plain(c)
	c.comm = comm
	return c
}

func collective(c call) call {
	c = shared(c)
	c.tag = tagAny
	return c
}

// repeated has the result as operand 1, too.
func repeated(c call) call {
	c.addr1 = c.addr2
	return c
}

// method is a method of cclo::Command and what the contract says that it sends.
type method struct {
	call string
	want call
	only []string // generations, all if empty
}

var methods = []method{
	{call: "copy(7, A0, A2)", want: plain(call{scenario: 1, count: 7, addr0: a0, addr2: a2})},
	{call: "combine(8, cclo::ReduceFunction::Sum, A0, A1, A2)",
		want: plain(call{scenario: 2, count: 8, addr0: a0, addr1: a1, addr2: a2})},
	{call: "combine(8, cclo::ReduceFunction::Max, A0, A1, A2)",
		want: plain(call{scenario: 2, count: 8, function: 1, addr0: a0, addr1: a1, addr2: a2})},
	{call: "send(9, 5, 3, A0)", want: shared(call{scenario: 3, count: 9, tag: 5, rootSrcDst: 3, addr0: a0})},
	{call: "stream_put(10, 246, 2, A0)",
		want: shared(call{scenario: 3, count: 10, tag: 246, rootSrcDst: 2, stream: 2, addr0: a0})},
	{call: "recv(11, 6, 1, A2)", want: shared(call{scenario: 4, count: 11, tag: 6, rootSrcDst: 1, addr2: a2})},
	{call: "bcast(12, 4, A0)", want: collective(call{scenario: 5, count: 12, rootSrcDst: 4, addr0: a0})},
	{call: "scatter(13, 4, A0, A2)", want: collective(call{scenario: 6, count: 13, rootSrcDst: 4, addr0: a0, addr2: a2})},
	{call: "gather(14, 4, A0, A2)", want: collective(call{scenario: 7, count: 14, rootSrcDst: 4, addr0: a0, addr2: a2})},
	{call: "reduce(15, 4, cclo::ReduceFunction::Max, A0, A2)",
		want: collective(call{scenario: 8, count: 15, rootSrcDst: 4, function: 1, addr0: a0, addr2: a2})},
	{call: "allgather(16, A0, A2)", only: []string{g2021, g2022},
		want: collective(call{scenario: 9, count: 16, addr0: a0, addr2: a2})},
	{call: "allgather(16, A0, A2)", only: []string{g2024},
		want: repeated(collective(call{scenario: 9, count: 16, addr0: a0, addr2: a2}))},
	{call: "allreduce(17, cclo::ReduceFunction::Max, A0, A2)", only: []string{g2021, g2022},
		want: collective(call{scenario: 10, count: 17, function: 1, addr0: a0, addr2: a2})},
	{call: "allreduce(17, cclo::ReduceFunction::Max, A0, A2)", only: []string{g2024},
		want: repeated(collective(call{scenario: 10, count: 17, function: 1, addr0: a0, addr2: a2}))},
	{call: "reduce_scatter(18, cclo::ReduceFunction::Max, A0, A2)",
		want: collective(call{scenario: 11, count: 18, function: 1, addr0: a0, addr2: a2})},
	{call: "scan(18, cclo::ReduceFunction::Max, A0, A2)", only: []string{g2024},
		want: collective(call{scenario: 14, count: 18, function: 1, addr0: a0, addr2: a2})},
	{call: "exscan(18, cclo::ReduceFunction::Max, A0, A2)", only: []string{g2024},
		want: collective(call{scenario: 15, count: 18, function: 1, addr0: a0, addr2: a2})},
	{call: "ext_stream_krnl(19, A0, A2)", only: []string{g2021},
		want: plain(call{scenario: 12, count: 19, addr0: a0, addr2: a2})},
	{call: "barrier()", only: []string{g2022, g2024}, want: call{scenario: 12, comm: comm}},
	{call: "alltoall(20, A0, A2)", only: []string{g2022},
		want: collective(call{scenario: 13, count: 20, addr0: a0, addr2: a2})},
	{call: "alltoall(20, A0, A2)", only: []string{g2024},
		want: repeated(collective(call{scenario: 13, count: 20, addr0: a0, addr2: a2}))},
	{call: "nop()", want: call{scenario: 255}},
	{call: "set_timeout(21)", want: call{function: 2, count: 21}},
	{call: "open_port()", only: []string{g2021, g2022}, want: call{function: 3, comm: comm}},
	{call: "open_con()", only: []string{g2021, g2022}, want: call{function: 4, comm: comm}},
	{call: "set_max_segment_size(22)", only: []string{g2021, g2022}, want: call{function: 6, count: 22}},
	{call: "set_max_eager_msg_size(23)", only: []string{g2024}, want: call{function: 3, count: 23}},
	{call: "set_max_rendezvous_msg_size(24)", only: []string{g2024}, want: call{function: 4, count: 24}},
}

// operations of each generation, as the contract numbers them.
var operations = map[string][]uint32{
	g2021: {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 255},
	g2022: {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 255},
	g2024: {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 255},
}

// steps builds the statements of a program, and what it is to print.
type steps struct{ code, want strings.Builder }

// step adds statements that set r, and what is reported then: the calls, if any.
func (s *steps) step(statements string, answer uint32, calls ...call) {
	fmt.Fprintf(&s.code, "    { %s p.report(r); }\n", statements)
	for i, c := range calls {
		line := c.line(answer)
		if i < len(calls)-1 {
			line, _, _ = strings.Cut(line, "-> ")
		}
		s.want.WriteString(line)
	}
	if len(calls) == 0 {
		fmt.Fprintf(&s.want, "-> %x", answer)
	}
	s.want.WriteString("\n")
}

// program is a main function around the statements.
func (s *steps) program(include, declarations string) []byte {
	return fmt.Appendf(nil, `#include "probe.hpp"
#include %q

constexpr uint64_t A0 = %#xU, A1 = %#xU, A2 = %#xU;

int main() {
    uint32_t r = 0;
    Probe p;
%s
%s    return 0;
}
`, include, uint64(a0), uint64(a1), uint64(a2), declarations, s.code.String())
}

// run compiles the statements for a platform and compares what they print.
func (s *steps) run(t *testing.T, platform, include, declarations string) {
	t.Helper()
	dir := bindingHeaders(t, designtest.Load(t, platform, nil))
	source(t, dir, "probe.hpp")
	put(t, dir, "main.cpp", s.program(include, declarations))
	got := execute(t, dir, runTime, buildKernel(t, dir, []string{"main.cpp"}))
	assert.Check(t, is.DeepEqual(s.want.String(), got), "-contract +sent")
}

// TestMethodsSendTheWordsOfTheContract: every method, waiting and not, and every
// answer comes back.
func TestMethodsSendTheWordsOfTheContract(t *testing.T) {
	for _, g := range generations {
		t.Run(g.name, func(t *testing.T) {
			var s steps
			seen := map[uint32]bool{}
			for i, m := range methods {
				if len(m.only) > 0 && !slices.Contains(m.only, g.name) {
					continue
				}
				seen[m.want.scenario] = true
				answer := uint32(0x40000001 + i)
				s.step(fmt.Sprintf("p.answer(%#xU); r = c.%s;", answer, m.call), answer, m.want)
				s.step(fmt.Sprintf("c.start_%s; p.answer(%#xU); r = c.finish();", m.call, answer), answer, m.want)
			}
			for _, o := range operations[g.name] {
				assert.Check(t, seen[o], "no method for operation %d", o)
			}
			assert.Check(t, len(seen) == len(operations[g.name]),
				"%d operations have methods, of %d", len(seen), len(operations[g.name]))
			// Reserved streams are refused by an answer of our own, CONFIG_SWITCH.
			s.step("r = c.stream_put(1, 247, 0, A0);", 1<<8)
			s.step("r = c.start_stream_put(1, 247, 0, A0);", 0)
			s.run(t, g.platform, "cclo_hls.hpp", "    cclo::Command c(p.cmd, p.sts, 0x120, 0x440, 0xD, 0x1);")
		})
	}
}

// TestCallsOfOneKernel: several commands share the streams of a kernel.
func TestCallsOfOneKernel(t *testing.T) {
	var s steps
	overlapping(&s)
	changing(&s)
	hosted(&s)
	s.run(t, "u55c_tcp", "cclo_hls.hpp", `
    cclo::Command one(p.cmd, p.sts, 0x120);
    cclo::Command bare(p.cmd, p.sts);
    cclo::Command host(p.cmd, p.sts, 0x120, 0x440, 0, 0x2);`)
}

// overlapping: calls are placed before the first one is answered, and answers are
// looked for without waiting.
func overlapping(s *steps) {
	s.step("one.start_nop(); one.start_barrier(); r = 5; r = one.answered(r) ? 1 : r;", 5, call{scenario: 255},
		call{scenario: 12, comm: comm})
	s.step("p.answer(3); p.answer(4); r = one.finish();", 3)
	s.step("r = one.answered(r) ? r : 0;", 4)
	s.step("cclo::Call any; any.scenario = 0x77; any.addr_2 = A2; one.start(any); r = 0;", 0,
		call{scenario: 0x77, addr2: a2})
}

// changing: what the constructor was given, or was not, can be replaced.
func changing(s *steps) {
	s.step("bare.start_send(1, 2, 3, A0); r = 0;", 0, call{scenario: 3, count: 1, tag: 2, rootSrcDst: 3, addr0: a0})
	s.step(
		"bare.communicator(0x10); bare.configuration(0x20); bare.compression(8); bare.streams(3); bare.start_send(1, 2, "+
			"3, A0); r = 0;", 0,
		call{scenario: 3, count: 1, comm: 0x10, tag: 2, rootSrcDst: 3, arithcfg: 0x20, compression: 8, stream: 3, addr0: a0})
}

// hosted: accl-2024 has the host flags in bits 15:8 of the stream flags: operand 0 1,
// operand 1 2, result 4. Collectives that pass the result as operand 1 say of both where
// it lies.
func hosted(s *steps) {
	of := func(scenario, tag, comm, stream uint32, addr1 uint64) call {
		return call{scenario: scenario, count: 1, comm: comm, tag: tag, arithcfg: config, stream: stream, addr0: a0,
			addr1: addr1, addr2: a2}
	}
	s.step("host.host(cclo::host_flags::Op0); host.start_copy(1, A0, A2); r = 0;", 0, of(1, 0, 0, 1<<8|2, 0))
	s.step("host.host(cclo::host_flags::Op1 | cclo::host_flags::Res); host.start_copy(1, A0, A2); r = 0;",
		0, of(1, 0, 0, 6<<8|2, 0))
	s.step("host.start_barrier(); r = 0;", 0, call{scenario: 12, comm: comm})
	s.step("host.host(cclo::host_flags::Res); host.start_allgather(1, A0, A2); r = 0;", 0, of(9, tagAny, comm, 6<<8|2, a2))
	s.step("host.host(cclo::host_flags::Op0); host.start_allgather(1, A0, A2); r = 0;", 0, of(9, tagAny, comm, 1<<8|2, a2))
	s.step("host.host(0); host.start_alltoall(1, A0, A2); r = 0;", 0, of(13, tagAny, comm, 2, a2))
}
