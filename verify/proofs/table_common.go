package proofs

// common are the blocks that others are made of.
var common = []Proof{
	{
		Name:   "skid_buffer",
		Shows:  "words come out once, unchanged and in order; at full rate; the output keeps what waits",
		Design: []string{"common/skid_buffer.sv"},
		Why:    "words of 2 bits: the block does not look at them",
		Depth:  12, K: 1, Quick: true,
		Broken: []Defect{
			{Name: "the spare word is never taken back", Old: "spare_full ? spare : in_data", New: "in_data"},
			{Name: "room is shown while the spare place is full", Old: "assign in_ready = !spare_full;",
				New: "assign in_ready = 1'b1;"},
			{Name: "what waits is overwritten", Old: "if (out_ready || !out_valid) out_data",
				New: "if (out_ready || !out_valid || in_valid) out_data"},
			{Name: "a word of the spare place is forgotten", Old: "out_valid  <= in_valid || spare_full;",
				New: "out_valid  <= in_valid;"},
			{Name: "the spare place follows the input", Old: "if (in_ready) spare", New: "spare"},
			{Name: "a word is written where the last one waits", Old: "tail ^ push}", New: "tail ^ (push && out_ready)}"},
			{Name: "the word at the output changes before it is taken", Old: "(out_valid && out_ready)",
				New: "out_valid"},
		},
	},
	{
		Name: "fifo",
		Shows: "words come out once, unchanged and in order; the first falls through; all room is used, none twice; " +
			"clear forgets all",
		Design: []string{"common/fifo.sv"},
		Why: "1, 3 and 4 words of 2 bits: the least depth, one that is no power of two, and one that is; words are not " +
			"looked at",
		Depth: 12, K: 1, Quick: true,
		Broken: []Defect{
			{Name: "the reading end wraps one too late", Old: "head == POINTER'(DEPTH - 1)", New: "head == POINTER'(DEPTH)"},
			{Name: "the writing end wraps one too early", Old: "tail == POINTER'(DEPTH - 1)",
				New: "tail == POINTER'(DEPTH - 2)"},
			{Name: "a full queue takes one more", Old: "count != COUNT'(DEPTH);", New: "1'b1;"},
			{Name: "the count forgets what leaves while one comes", Old: "COUNT'(push) - COUNT'(pop)",
				New: "COUNT'(push) - COUNT'(pop && !push)"},
			{Name: "clear leaves the count", Old: "if (rst || clear)", New: "if (rst || clear && count == 0)"},
			{Name: "a power of two is counted as none", Old: "COUNT   = $clog2(DEPTH + 1);",
				New: "COUNT   = DEPTH > 1 ? $clog2(DEPTH) : 1;"},
			{Name: "a word that is refused is written", Old: "if (push) memory[tail]", New: "if (in_valid) memory[tail]"},
		},
	},
	{
		Name:   "round_robin",
		Shows:  "one grant if anybody asks, to somebody who does; whoever goes on asking is passed over less than N times",
		Design: []string{"common/round_robin.sv"},
		Why:    "4 requests instead of up to 32: the logic is the same for each",
		Depth:  12, K: 1, Quick: true,
		Broken: []Defect{
			{Name: "the lowest always wins", Old: "later[N-1] ? later : after(request)", New: "after(request)"},
			{Name: "the granted one keeps the first claim", Old: "behind <= reached << 1", New: "behind <= reached"},
			{Name: "two are granted", Old: "reached & ~(reached << 1)", New: "reached"},
			{Name: "nobody is granted behind the last one", Old: "later[N-1] ? later : after(request);", New: "later;"},
			{Name: "the turn is not noted", Old: "behind <= reached << 1", New: "behind <= behind"},
		},
	},
	{
		Name:   "latest_request",
		Shows:  "the latest request is passed on unchanged, and only the answer to it counts, once",
		Design: []string{"common/latest_request.sv"},
		Sizes:  map[string]string{"latest_request.COUNT": "2"},
		Why: "3 requests without an answer instead of 255, so that the limit is reached in the base case; words of 2 " +
			"bits are not looked at",
		Depth: 14, K: 1, Quick: true,
		Broken: []Defect{
			{Name: "an answer to an older request counts", Old: "taken == COUNT'(1) && !waiting", New: "!waiting"},
			{Name: "an answer counts while a request waits", Old: "&& !waiting && !out_valid && !ask",
				New: "&& !out_valid && !ask"},
			{Name: "an answer counts in the cycle of the next request", Old: "&& !out_valid && !ask;", New: "&& !out_valid;"},
			{Name: "what is at the output is replaced", Old: "waiting && !out_valid && !blocked", New: "waiting && !blocked"},
			{Name: "more are taken than can be counted", Old: "taken == '1", New: "1'b0"},
			{Name: "answers that nobody asked for are counted", Old: "COUNT'(answer && taken != '0)", New: "COUNT'(answer)"},
		},
	},
}
