package timeline

import (
	"testing"

	"gotest.tools/v3/assert"
)

// TestSummaryByOperation: each operation has a line with its own calls, those that took most time first,
// and time in which two calls are there counts once.
func TestSummaryByOperation(t *testing.T) {
	call := func(at, end int64, name string) Span {
		return Span{Kind: CallSpan, Begin: at, End: end, Name: name, For: -1}
	}
	line := &Timeline{Ranks: make([]Rank, 1), Spans: []Span{
		call(0, 10_000, "copy"),
		{Kind: BusySpan, Begin: 0, End: 2_000, For: -1},
		call(20_000, 60_000, "bcast"),
		{Kind: WaitSpan, Begin: 20_000, End: 30_000, For: 0, wire: 4_000},
		call(40_000, 70_000, "send"),
		{Kind: BusySpan, Begin: 35_000, End: 45_000, For: -1},
		call(80_000, 90_000, "copy"), {Kind: CallSpan, Begin: 95_000, End: 99_000, Name: "copy", Open: true},
	}}
	var rows [][]int64
	for _, c := range line.byOperation() {
		rows = append(rows, []int64{int64(len(c.times)), c.sum(), c.Total, c.Firmware, c.Moves, c.Wire, c.Waiting()})
	}
	assert.DeepEqual(t, rows, [][]int64{
		{1, 40_000, 20_000, 5_000, 5_000, 4_000, 6_000}, // bcast, until send is taken
		{1, 30_000, 30_000, 5_000, 25_000, 0, 0},        // send
		{2, 20_000, 20_000, 2_000, 18_000, 0, 0},        // copy
	})
}
