package proofs

// streams cut, pack and spread what goes through the engine.
var streams = []Proof{
	{
		Name:   "stream_fork",
		Shows:  "each beat of a slice goes once to each of its takers and to nobody else, unchanged; a slice that nobody takes is dropped; slices end with their last byte",
		Design: []string{"ccl_offload/stream_fork.sv", "ccl_offload/beat_counter.sv", "common/fifo.sv"},
		Why:    "2 takers, 2 slices at a time, 2 bits of data: takers are alike, data are not looked at; slices have any number of bytes",
		Depth:  9, K: 1,
		Broken: []Defect{
			{Name: "a taker that waits for another one gets the beat again", Old: "else served <= served | (out_valid & out_ready);", New: "else served <= '0;"},
			{Name: "the beat goes on when the first taker has it", Old: "&(~takers | served | out_ready)", New: "|(takers & out_ready) || takers == '0"},
			{Name: "who was served stays served", Old: "if (rst || move) served", New: "if (rst || move && last) served"},
			{Name: "beats go before their slice is known", Old: "there && in_valid ? takers & ~served : '0", New: "in_valid ? takers & ~served : '0"},
			{Name: "a slice ends with its first beat", Old: ".out_ready(move && last)", New: ".out_ready(move)"},
			{Name: "a slice of whole beats has one more", File: "ccl_offload/beat_counter.sv", Old: "left <= LENGTH'(BEAT);", New: "left < LENGTH'(BEAT);"},
		},
	},
}
