package proofs

// streams cut, pack and spread what goes through the engine.
var streams = []Proof{
	{
		Name: "stream_fork",
		Shows: "each beat of a slice goes once to each of its takers and to nobody else, unchanged; a slice that nobody " +
			"takes is dropped; slices end with their last byte",
		Design: []string{"ccl_offload/data/stream_fork.sv", "ccl_offload/data/beat_counter.sv", "common/fifo.sv"},
		Why: "2 takers, 2 slices at a time, 2 bits of data: takers are alike, data are not looked at; slices have any " +
			"number of bytes",
		Depth: 9, K: 1,
		Broken: []Defect{
			{Name: "a taker that waits for another one gets the beat again",
				Old: "else served <= served | (out_valid & out_ready);", New: "else served <= '0;"},
			{Name: "the beat goes on when the first taker has it", Old: "&(~takers | served | out_ready)",
				New: "|(takers & out_ready) || takers == '0"},
			{Name: "who was served stays served", Old: "if (rst || move) served", New: "if (rst || move && last) served"},
			{Name: "beats go before their slice is known", Old: "there && in_valid ? takers & ~served : '0",
				New: "in_valid ? takers & ~served : '0"},
			{Name: "a slice ends with its first beat", Old: ".out_ready(move && last)", New: ".out_ready(move)"},
			{Name: "a slice of whole beats has one more", File: "ccl_offload/data/beat_counter.sv",
				Old: "left <= LENGTH'(BEAT);", New: "left < LENGTH'(BEAT);"},
		},
	},
	{
		Name: "axis_switch",
		Shows: "packets go whole to the output that their TDEST says, beats once, unchanged and in order; inputs take " +
			"turns; what goes nowhere is dropped",
		Design: []string{"axis_switch/axis_switch.sv", "common/round_robin.sv", "common/skid_buffer.sv"},
		Why:    "2 inputs and outputs, beats of a byte: every input and every output is alike",
		Depth:  9, K: 1,
		Broken: []Defect{
			{Name: "a packet is interrupted", Old: "going ? owner : chosen", New: "chosen"},
			{Name: "the next packet belongs to the last owner", Old: "going <= !last", New: "going <= 1'b1"},
			{Name: "what goes nowhere comes out at the first output", Old: "to[k*8 +: 8] == 8'(o)",
				New: "(to[k*8 +: 8] == 8'(o) || o == 0 && nowhere[k])"},
			{Name: "a beat leaves its input although nobody takes it", Old: "ready ? taking & request : '0",
				New: "taking & request"},
			{Name: "the low bits of TDEST choose", Old: "in_beat[i*BEAT + 8 +: 8]", New: "in_beat[i*BEAT +: 8]"},
			{Name: "inputs do not take turns", File: "common/round_robin.sv",
				Old: "else if (advance && |request) behind <= reached << 1;", New: ""},
		},
	},
	{
		Name: "stream_cutter",
		Shows: "every byte leaves once, in its place, in slices of the commanded length; nothing is lost but what is " +
			"behind a slice that finishes; never more is held than there is room",
		Design: []string{"ccl_offload/data/stream_cutter.sv", "ccl_offload/data/beat_counter.sv",
			"common/byte_rotate.sv"},
		Why:   "one bit of each byte is free: all of a byte go the same way; slices have any number of bytes",
		Depth: 7, Base: 4, K: 1,
		Broken: []Defect{
			{Name: "a slice that finishes keeps the rest of its beat", Old: "leaving = finishing ?", New: "leaving = 1'b0 ?"},
			{Name: "every slice drops the rest of its beat", Old: "out_last && slice_finishes", New: "out_last"},
			{Name: "a beat is taken without room", Old: "= !stay[1];", New: "= 1'b1;"},
			{Name: "the second beat is lost", Old: "first[i] && beats[1] && !leaving[1] ? second[8*i +: 8] : in_data",
				New: "in_data"},
			{Name: "bytes that have gone stay in their lanes", Old: "|| leaving != '0 || goes[i]", New: "|| leaving != '0"},
			{Name: "bytes of the second beat stay in their lanes", Old: " || leaving[0] && goes[i];", New: ";"},
			{Name: "a slice begins before its bytes are there", Old: "beats[0] && ending <= 7'(BEAT)", New: "beats[0]"},
		},
	},
}
