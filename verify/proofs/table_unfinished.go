package proofs

// unfinished have properties that have not all been proved, for want of time of
// the solver: nothing is claimed of these blocks yet. One that is done moves into
// the table where it belongs.
var unfinished = []Proof{
	{
		Name:   "dma_write_align",
		Shows:  "every byte of a command up to its end or that of the packet is written once, in its place, and no other; bursts hold these lines without a gap, end with their block of lines or the command, and the last one says how it went",
		Design: []string{"external_dma/dma_write_align.sv", "external_dma/dma_rotate.sv", "common/skid_buffer.sv"},
		Why:    "blocks of 4 lines instead of 16, 16 bits of the address: lines are counted; one bit of each byte is free: all of a byte go the same way",
		Depth:  9, Base: 4, K: 1,
		Broken: []Defect{
			{Name: "one byte behind the end of the line is lost", Old: "spills       = 7'(offset) + lanes > 7'd64;", New: "spills       = 7'(offset) + lanes > 7'd65;"},
			{Name: "bursts go on in the next block", Old: "closes       = ends || (boundary && !void_lines);", New: "closes       = ends;"},
			{Name: "a refused command writes", Old: "step0 = {!void_lines, closes", New: "step0 = {1'b1, closes"},
			{Name: "the end of the packet does not end the transfer", Old: "final_beat   = beat_last || bytes_left", New: "final_beat   = bytes_left"},
			{Name: "the first line is written from lane 0 on", Old: "first ? 7'(offset) : 7'd0", New: "7'd0"},
			{Name: "the last line has what the beat before it had", Old: "trailing ? 7'd64 : 7'(offset),", New: "7'(offset),"},
			{Name: "an early end is told of the beat that comes next", Old: "underrun_now     = trailing ? underrun : ", New: "underrun_now     = "},
			{Name: "lines go on while their burst waits", Old: "possible && (burst_ready || !closes);", New: "possible;"},
			{Name: "the last line takes a beat of its own", Old: "go && !trailing && bytes_left != '0;", New: "go && bytes_left != '0;"},
		},
	},
	{
		Name:   "slot_reader",
		Shows:  "rows of jobs come out once, in order and unchanged, without a gap, the last one with the bytes that are left; never more rows are asked for than there is room",
		Design: []string{"ccl_offload/slot_reader.sv", "common/fifo.sv"},
		Why:    "all as in the hardware; the memory answers with the place that it was asked for",
		Depth:  10, K: 1,
		Broken: []Defect{
			{Name: "a credit too many", Old: "credits <= 4'(DEPTH);", New: "credits <= 4'(DEPTH + 1);"},
			{Name: "the next job is taken while a row waits", Old: "!active || read && read_last", New: "!active || read_last"},
			{Name: "a row comes a cycle too soon", Old: "waiting || coming[1];", New: "waiting || coming[0];"},
			{Name: "every beat is cut like the last one", Old: "{read_last, read_last ? end_ : '1, read_side}", New: "{read_last, end_, read_side}"},
			{Name: "one byte too many", Old: "job_bytes - 1'b1", New: "job_bytes"},
			{Name: "credits come back while the output waits", Old: "4'(out_valid && out_ready)", New: "4'(out_valid)"},
		},
	},
}
