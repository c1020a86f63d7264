package proofs

// control are blocks that keep account of sessions, moves and calls.
var control = []Proof{
	{
		Name:   "session_owners",
		Shows:  "a message under way keeps its session to its queue until its last slice has retired well or it is given up; two queues never have one session",
		Design: []string{"ccl_offload/session_owners.sv"},
		Sizes:  map[string]string{"engine_pkg.QUEUES": "2"},
		Why:    "2 queues instead of 4, 2 sessions, 3 slices of a queue under way: queues and sessions are alike, slices are only counted",
		Depth:  9, K: 1, Quick: true,
		Broken: []Defect{
			{Name: "the session is free when the end is dispatched", Old: "if (last_retired[q]) begin", New: "if (closing[q]) begin"},
			{Name: "a message with a slice that failed is complete", Old: "retired_good && !faulty[q]", New: "retired_good"},
			{Name: "the slices behind the end are waited for", Old: "until_closed[8*q +: 8] == 8'd1", New: "under_way == 0"},
			{Name: "one message ends another one's", Old: "commits && owns[q] && !elsewhere[q]", New: "commits && owns[q]"},
			{Name: "a message that goes on closes", Old: "owns[q]              <= 1'b1;\n                closing[q]           <= 1'b0;", New: "owns[q]              <= 1'b1;"},
			{Name: "the higher queue is named, the lower one given up", Old: "<< (i - 1)", New: "<< (QUEUES - i)"},
			{Name: "a queue takes a session from itself", Old: "j != i && owns[j]", New: "owns[j]"},
		},
	},
	{
		Name:   "move_order",
		Shows:  "moves complete once and in order, each when its last slice has retired or at once if it has none; drained and empty say what is left",
		Design: []string{"ccl_offload/move_order.sv"},
		Sizes:  map[string]string{"cclo_pkg.MOVE_QUEUE_DEPTH": "3"},
		Why:    "3 moves instead of 8, 3 slices under way: moves are alike, slices are only counted",
		Depth:  12, K: 1,
		Broken: []Defect{
			{Name: "the end of any move completes one without slices", Old: "completed && !bare[0]", New: "completed"},
			{Name: "moves without slices overtake", Old: "bare[0] || ended != '0", New: "bare != '0 || ended != '0"},
			{Name: "a move completes while the queue is held", Old: "has_ended && !freeze", New: "has_ended"},
			{Name: "every slice ends its move", Old: "COUNT'(retired && retired_last)", New: "COUNT'(retired)"},
			{Name: "a new move is noted behind the one that leaves", Old: "push && behind == COUNT'(i)", New: "push && moves == COUNT'(i)"},
			{Name: "clear forgets the slices", Old: "if (rst) slices <= '0;", New: "if (rst || clear) slices <= '0;"},
		},
	},
	{
		Name:   "call_queue",
		Shows:  "calls are shown whole, once and in order, each with its client; the one in the window stays until the next is taken; resets that wait are told",
		Design: []string{"ccl_offload/call_queue.sv"},
		Sizes:  map[string]string{"cclo_pkg.CALL_WORDS": "3", "cclo_pkg.CALL_FUNCTION_CODE_WORD": "1"},
		Why:    "4 calls of 3 words instead of 64 of 15: a first word, the function's and a last one are all that the block knows; 4 bits of a word are free",
		Depth:  13, K: 1,
		Broken: []Defect{
			{Name: "calls come into the window's place", Old: "tail != window;", New: "tail != oldest || waiting == '0;", Depth: 15},
			{Name: "the client of the call that comes in is told", Old: "assign client          = clients[oldest];", New: "assign client          = sender;"},
			{Name: "a call ends one word too soon", Old: "received == 4'(LAST)", New: "received == 4'(LAST - 1)"},
			{Name: "a reset is forgotten while a call comes in", Old: "CALL'(complete && is_reset) - CALL'(take_reset)", New: "CALL'(complete && is_reset) - CALL'(take)"},
			{Name: "the window shows the next call", Old: "memory[{window, word}]", New: "memory[{oldest, word}]"},
			{Name: "the processor sees whose a call is", Old: "if (received == 4'(cclo_pkg::CALL_SCENARIO_WORD)) stored[cclo_pkg::CALL_HEAD_CLIENT_LOW +: CLIENT_WIDTH] = '0;", New: ""},
		},
	},
}
