package proofs

// movers are blocks of the external data movers.
var movers = []Proof{
	{
		Name:   "dma_line_fifo",
		Shows:  "lines come out once, unchanged and in order, one a cycle; all room is used, none twice",
		Design: []string{"external_dma/dma_line_fifo.sv"},
		Why:    "4 lines of 2 bits instead of 512 of 512: lines are not looked at, the depth is any power of two",
		Depth:  12, K: 1, Quick: true,
		Broken: []Defect{
			{Name: "a line is shown before it is stored", Old: "out_valid <= count != COUNT'(pop)", New: "out_valid <= count != COUNT'(pop) || push"},
			{Name: "the line behind the one that leaves is not fetched", Old: "memory[next_head]", New: "memory[head]"},
			{Name: "the last line is shown twice", Old: "out_valid <= count != COUNT'(pop)", New: "out_valid <= count != '0"},
			{Name: "a full queue takes one more", Old: "count != COUNT'(DEPTH);", New: "1'b1;"},
			{Name: "the writing end moves with what leaves", Old: "tail + POINTER'(push)", New: "tail + POINTER'(push && !pop)"},
		},
	},
}
