package proofs

// unfinished have properties that have not all been proved, for want of time of
// the solver: nothing is claimed of these blocks yet. One that is done moves into
// the table where it belongs.
var unfinished = []Proof{
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
