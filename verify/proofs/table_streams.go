package proofs

// streams cut, pack and spread what goes through the engine.
var streams = []Proof{
	{
		Name:   "stream_fork",
		Shows:  "each beat of a slice goes once to each of its takers and to nobody else, unchanged; a slice that nobody takes is dropped; slices end with their last byte",
		Design: []string{"ccl_offload/stream_fork.sv", "ccl_offload/beat_counter.sv", "common/fifo.sv"},
		Why:    "2 takers, 2 slices at a time, 2 bits of data: takers are alike, data are not looked at; slices have any number of bytes",
		Depth:  9, K: 1, Quick: true,
		Broken: []Defect{
			{Name: "a taker that waits for another one gets the beat again", Old: "else served <= served | (out_valid & out_ready);", New: "else served <= '0;"},
			{Name: "the beat goes on when the first taker has it", Old: "&(~takers | served | out_ready)", New: "|(takers & out_ready) || takers == '0"},
			{Name: "who was served stays served", Old: "if (rst || move) served", New: "if (rst || move && last) served"},
			{Name: "beats go before their slice is known", Old: "there && in_valid ? takers & ~served : '0", New: "in_valid ? takers & ~served : '0"},
			{Name: "a slice ends with its first beat", Old: ".out_ready(move && last)", New: ".out_ready(move)"},
			{Name: "a slice of whole beats has one more", File: "ccl_offload/beat_counter.sv", Old: "left <= LENGTH'(BEAT);", New: "left < LENGTH'(BEAT);"},
		},
	},
	{
		Name:   "slot_reader",
		Shows:  "rows of jobs come out once, in order and unchanged, without a gap, the last one with the bytes that are left; never more rows are asked for than there is room",
		Design: []string{"ccl_offload/slot_reader.sv", "common/fifo.sv"},
		Why:    "all as in the hardware; the memory answers with the place that it was asked for",
		Depth:  14, K: 1,
		Broken: []Defect{
			{Name: "a credit too many", Old: "credits <= 4'(DEPTH);", New: "credits <= 4'(DEPTH + 1);"},
			{Name: "the next job is taken while a row waits", Old: "!active || read && read_last", New: "!active || read_last"},
			{Name: "a row comes a cycle too soon", Old: ".in_valid(coming[1])", New: ".in_valid(coming[0])"},
			{Name: "every beat is cut like the last one", Old: "{read_last, read_last ? end_ : '1, read_side}", New: "{read_last, end_, read_side}"},
			{Name: "one byte too many", Old: "job_bytes - 1'b1", New: "job_bytes"},
			{Name: "credits come back while the output waits", Old: "4'(out_valid && out_ready)", New: "4'(out_valid)"},
		},
	},
	{
		Name:   "stream_cutter",
		Shows:  "every byte leaves once, in its place, in slices of the commanded length; nothing is lost but what is behind a slice that finishes; never more is held than there is room",
		Design: []string{"ccl_offload/stream_cutter.sv", "ccl_offload/beat_counter.sv"},
		Why:    "one bit of each byte is free: all of a byte go the same way; slices have any number of bytes",
		Depth:  7, K: 1,
		Broken: []Defect{
			{Name: "a slice that finishes keeps the rest of its beat", Old: "if (out_last && slice_finishes) begin", New: "if (1'b0) begin"},
			{Name: "every slice drops the rest of its beat", Old: "out_last && slice_finishes", New: "out_last"},
			{Name: "a beat is taken without room", Old: "rest <= 8'(BEAT);", New: "rest <= 8'(BEAT + 1);"},
			{Name: "a beat lands where the last one did", Old: "<< {rest, 3'd0}", New: "<< {level, 3'd0}"},
			{Name: "a slice begins before its bytes are there", Old: "level >= 8'(wanted);", New: "level != '0;"},
		},
	},
}
