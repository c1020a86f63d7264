package proofs

// control are blocks that keep account of sessions, moves and calls.
var control = []Proof{
	{
		Name: "session_owners",
		Shows: "a message under way keeps its session to its queue until its last slice has retired well or it is given " +
			"up; meanwhile the queue has others, as many as it may; two queues never have one session",
		Design: []string{"ccl_offload/move/session_owners.sv"},
		Sizes:  map[string]string{"engine_pkg.QUEUES": "2", "engine_pkg.QUEUE_SESSIONS": "2"},
		Why: "2 queues instead of 4, 3 sessions, 3 slices of a queue under way: queues and sessions are alike, slices " +
			"are only counted",
		Depth: 8, Base: 5, K: 1, Quick: true,
		Broken: []Defect{
			{Name: "the session is free when the end is dispatched", Old: "if (last_retired[N]) begin",
				New: "if (closing[N]) begin"},
			{Name: "a message with a slice that failed is complete", Old: "retired_good && !faulty[q]", New: "retired_good"},
			{Name: "the slices behind the end are waited for", Old: "until_closed[8*N +: 8] == 8'd1", New: "under_way == 0"},
			{Name: "any slice that retires ends a message", Old: "retired[q] && until_closed[8*N +: 8] == 8'd1",
				New: "retired[q]"},
			{Name: "one message ends another one's", Old: "commits && ends && here[N]", New: "commits && ends && owns[N]"},
			{Name: "a message that goes on closes",
				Old: "owns[N]             <= 1'b1;\n                    closing[N]          <= 1'b0;",
				New: "owns[N]             <= 1'b1;"},
			{Name: "a message that goes on takes another place", Old: "same != '0 ? same : free", New: "free"},
			{Name: "a message takes all places", Old: "free & (~free + 1'b1)", New: "free"},
			{Name: "a message that ends holds up the next one", Old: "same == '0 && free == '0",
				New: "same == '0 && free != '1"},
			{Name: "a message begins without a place", Old: "same == '0 && free == '0", New: "1'b0"},
			{Name: "one message is given up for all", Old: "abandon[q] && free == '1", New: "abandon[q] && free != '0"},
			{Name: "the higher place is named, the lower one given up", Old: "<< (n - 1)", New: "<< (ALL - n)"},
			{Name: "a queue takes a session from itself", Old: "n / PLACES != i && owns[n]", New: "owns[n]"},
			{Name: "a queue's second session is not seen by others", Old: "n / PLACES != i && owns[n]",
				New: "n / PLACES != i && n % PLACES == 0 && owns[n]"},
		},
	},
	{
		Name: "move_order",
		Shows: "moves complete once and in order, each when its last slice has retired or at once if it has none; " +
			"drained and empty say what is left",
		Design: []string{"ccl_offload/move/move_order.sv"},
		Sizes:  map[string]string{"cclo_pkg.MOVE_QUEUE_DEPTH": "3"},
		Why:    "3 moves instead of 8, 3 slices under way: moves are alike, slices are only counted",
		Depth:  12, K: 1,
		Broken: []Defect{
			{Name: "the end of any move completes one without slices", Old: "completed && !bare[0]", New: "completed"},
			{Name: "moves without slices overtake", Old: "bare[0] || ended != '0", New: "bare != '0 || ended != '0"},
			{Name: "a move completes while the queue is held", Old: "has_ended && !freeze", New: "has_ended"},
			{Name: "every slice ends its move", Old: "COUNT'(retired && retired_last)", New: "COUNT'(retired)"},
			{Name: "a new move is noted behind the one that leaves", Old: "push && behind == COUNT'(i)",
				New: "push && moves == COUNT'(i)"},
			{Name: "clear forgets the slices", Old: "if (rst) slices <= '0;", New: "if (rst || clear) slices <= '0;"},
		},
	},
	{
		Name: "call_queue",
		Shows: "calls are shown whole, once and in order, each with its client; the one in the window stays until the " +
			"next is taken; resets that wait are told",
		Design: []string{"ccl_offload/calls/call_queue.sv"},
		Sizes:  map[string]string{"cclo_pkg.CALL_WORDS": "3", "cclo_pkg.CALL_FUNCTION_CODE_WORD": "1"},
		Why: "4 calls of 3 words instead of 64 of 15: a first word, the function's and a last one are all that the " +
			"block knows; 4 bits of a word are free",
		Depth: 13, K: 1,
		Broken: []Defect{
			{Name: "calls come into the window's place", Old: "tail != window;", New: "tail != oldest || waiting == '0;",
				Depth: 15},
			{Name: "the client of the call that comes in is told", Old: "assign client          = clients[oldest];",
				New: "assign client          = sender;"},
			{Name: "a call ends one word too soon", Old: "received == 4'(LAST)", New: "received == 4'(LAST - 1)"},
			{Name: "a reset is forgotten while a call comes in", Old: "CALL'(complete && is_reset) - CALL'(take_reset)",
				New: "CALL'(complete && is_reset) - CALL'(take)"},
			{Name: "the window shows the next call", Old: "memory[{window, word}]", New: "memory[{oldest, word}]"},
			{Name: "the processor sees whose a call is",
				Old: "if (received == 4'(cclo_pkg::CALL_SCENARIO_WORD)) stored[cclo_pkg::CALL_HEAD_CLIENT_LOW +: CLIENT_WIDTH] " +
					"= '0;", New: ""},
		},
	},
	{
		Name: "hostctrl_core",
		Shows: "a call is sent only for a start or for a post, soon, with the words of its registers; a start and posted " +
			"calls are never in the engine together; counts and answers are those of posted calls, in order, and an answer " +
			"stands until its place is needed again; a full controller takes no post",
		Design: []string{"hostctrl/hostctrl_core.sv", "common/control_registers.sv"},
		Sizes:  map[string]string{"cclo_pkg.CALL_WORDS": "3", "cclo_pkg.HOSTCTRL_ANSWERS_COUNT": "2"},
		Why: "calls of 3 words instead of 15, 2 answers instead of 32: words and answers are alike; 2 bits of each are " +
			"free",
		Depth: 20, Base: 8, K: 1,
		Broken: []Defect{
			{Name: "a start does not wait for answers", Old: "&& !post && open == 0;", New: "&& !post;"},
			{Name: "a start overtakes a post", Old: "&& !post && open == 0;", New: "&& open == 0;"},
			{Name: "a post does not wait for a started call", Old: "if (post && !call_valid && !waiting)",
				New: "if (post && !call_valid)"},
			{Name: "a full controller takes a post", Old: "if (asked && open != (NUMBER + 1)'(CAPACITY))", New: "if (asked)"},
			{Name: "a post is kept for later", Old: "post   <= 1'b0;\n                posted",
				New: "post   <= asked;\n                posted"},
			{Name: "an answer to a start counts", Old: "answer_valid && open != 0;",
				New: "answer_valid && (waiting || open != 0);"},
			{Name: "an answer to nobody counts", Old: "answer_valid && open != 0;", New: "answer_valid && !waiting;"},
			{Name: "answers that nobody waits for are written", Old: "if (kept) answers[", New: "if (answer_valid) answers["},
			{Name: "a started call counts", Old: "if (sent_all && posting)", New: "if (sent_all)"},
			{Name: "a posted call is waited for", Old: "waiting    <= !posting;", New: "waiting    <= 1'b1;"},
			{Name: "reading forgets", Old: "if (kept) answered", New: "if (kept && !(bus_valid && number == 0)) answered"},
		},
	},
	{
		Name: "call_tickets",
		Shows: "each call gets a ticket that no other open call has; an answer counts once, for the call of its ticket, " +
			"and reaches the call's client with its code, in the order of that client's calls; what is answered leaves soon, " +
			"a free ticket is found soon",
		Design: []string{"ccl_offload/calls/call_tickets.sv", "common/round_robin.sv"},
		Why: "4 places and 2 clients instead of 128 and 16: places and clients are alike; tickets have all their bits, " +
			"2 bits of a code are free",
		Depth: 14, Base: 6, K: 1,
		Broken: []Defect{
			{Name: "a ticket is known by its place", Old: "&& uppers[answering] == ticket[31:PLACE];", New: ";"},
			{Name: "an answer counts twice", Old: "used[answering] && !answered[answering] &&", New: "used[answering] &&"},
			{Name: "a place in use is given out", Old: "available = !used[given] &&", New: "available ="},
			{Name: "answers leave as they come", Old: "if (firsts[owner] == answering) ready", New: "ready"},
			{Name: "the second call of a client is not linked", Old: "if (take && has_calls[client]) followers",
				New: "if (take && !has_calls[client]) followers"},
			{Name: "the list goes on behind its last call", Old: "if (leaving == lasts[pick]) begin", New: "if (1'b0) begin"},
			{Name: "the next one that was answered before stays", Old: "ready[pick] <= answered[follower];",
				New: "ready[pick] <= 1'b0;"},
			{Name: "an answer is replaced at the output", Old: "!answer && (!out_valid || out_ready);", New: "!answer;"},
			{Name: "an answer leaves while a call is taken", Old: "picked && !take && !answer", New: "picked && !answer"},
			{Name: "the first client comes first", File: "common/round_robin.sv",
				Old: "later[N-1] ? later : after(request)", New: "after(request)"},
			{Name: "the age counts from the answer", Old: "stamps[given] <= clock;", New: "stamps[answering] <= clock;"},
		},
	},
}
