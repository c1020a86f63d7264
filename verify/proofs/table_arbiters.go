package proofs

// arbiters share something among several that ask.
var arbiters = []Proof{
	{
		Name:   "exchange_share",
		Shows:  "a request stays until it is answered, the answer goes to who asked; nobody is passed over twice",
		Design: []string{"ccl_offload/exchange_share.sv"},
		Why:    "all as in the hardware; the address stands for the whole request",
		Depth:  10, K: 1, Quick: true,
		Broken: []Defect{
			{Name: "the first client always wins", Old: "(!owner || !first_request.valid)", New: "!first_request.valid"},
			{Name: "the request changes while it waits", Old: "holding ? owner : ", New: ""},
			{Name: "a request without a wait is not noted", Old: "if (exchange_request.valid) owner", New: "if (holding) owner"},
			{Name: "both are answered", Old: "exchange_response.done && !second;", New: "exchange_response.done;"},
			{Name: "it forgets that a request waits", Old: "holding <= exchange_request.valid && !exchange_response.done", New: "holding <= 1'b0"},
		},
	},
	{
		Name:   "client_arbiter",
		Shows:  "calls go on whole, unchanged but for the client's number, no client above its limit or passed over twice; answers reach their client once and in order, without a wait",
		Design: []string{"client_arbiter/client_arbiter.sv", "common/skid_buffer.sv", "common/fifo.sv"},
		Sizes:  map[string]string{"cclo_pkg.CALL_WORDS": "2"},
		Why:    "calls of 2 words and 2 open calls of each client: a first word, a last word and a limit are all that the block knows",
		Depth:  12, K: 1,
		Broken: []Defect{
			{Name: "client 1 is passed over", Old: "may_call == 2'b11 ? !last_owner : may_call[1]", New: "may_call == 2'b11 ? 1'b0 : may_call[1]"},
			{Name: "a call ends one word too soon", Old: "passed == 4'(cclo_pkg::CALL_WORDS - 1)", New: "passed == 4'(cclo_pkg::CALL_WORDS - 2)"},
			{Name: "no limit for client 1", Old: "cmd_clients_1_tvalid && open_1 != COUNT'(LIMIT)", New: "cmd_clients_1_tvalid"},
			{Name: "answers go to the other client", Old: "= ack_cclo_tdata[ANSWER_NUMBER];", New: "= !ack_cclo_tdata[ANSWER_NUMBER];"},
			{Name: "the number is put into every word", Old: "if (passed == 4'(cclo_pkg::CALL_SCENARIO_WORD)) call_data", New: "call_data"},
			{Name: "answers of client 1 are not kept while client 0 has one", Old: "assign push[1]         = ack_cclo_tvalid && mine;", New: "assign push[1]         = ack_cclo_tvalid && mine && !ack_clients_0_tvalid;"},
			{Name: "client 0 is offered words of client 1's turn", Old: "cmd_clients_0_tready = owned && !owner && call_ready", New: "cmd_clients_0_tready = owned && call_ready"},
		},
	},
	{
		Name:   "kernel_output",
		Shows:  "beats of moves and of messages to the stream come out once, unchanged, each kind in order; packets take turns, and one is only divided when it would wait for nothing",
		Design: []string{"ccl_offload/kernel_output.sv", "common/fifo.sv", "common/skid_buffer.sv"},
		Sizes:  map[string]string{"engine_pkg.KEEP_WIDTH": "32'd2", "engine_pkg.DATA_WIDTH": "32'd2"},
		Why:    "2 beats of messages that wait instead of 256, of 2 bits instead of 512: beats are counted, data are not looked at",
		Depth:  12, Base: 8, K: 1,
		Broken: []Defect{
			{Name: "a message is divided by moves", Old: "putting      = put_turn ? queued_valid :", New: "putting      = put_turn ? queued_valid && !move_tvalid :"},
			{Name: "a move is divided by messages", Old: ": queued_valid && !move_tvalid;", New: ": queued_valid;"},
			{Name: "messages go on behind their packet", Old: "put_turn <= !queued[WIDTH-9];", New: "put_turn <= 1'b1;"},
			{Name: "moves keep their turn", Old: "put_turn <= move_tlast;", New: "put_turn <= 1'b0;"},
			{Name: "a message leaves while there is no room", Old: "queued_ready = putting && joined_ready;", New: "queued_ready = putting;"},
			{Name: "both are taken", Old: "assign move_tready  = !putting && joined_ready;", New: "assign move_tready  = joined_ready;"},
			{Name: "what waits is nothing to be busy with", Old: "queued_valid || out_tvalid;", New: "out_tvalid;"},
			{Name: "the room is that of a cycle before", Old: "9'(PUT_BEATS) - 9'(count);", New: "9'(PUT_BEATS) - 9'(count) + 9'(queued_valid && queued_ready);"},
		},
	},
}
