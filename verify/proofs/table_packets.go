package proofs

// packets are where packets wait, and how they are made.
var packets = []Proof{
	{
		Name:   "tx_commit",
		Shows:  "every packet that was completed enters its order once, with the number that it needs and no other; one that failed is given back; an abandoned message leaves one mark",
		Design: []string{"ccl_offload/tx_commit.sv"},
		Why:    "all as in the hardware; 4 bits of numbers and 16 of addresses are free",
		Depth:  10, K: 1, Quick: true,
		Broken: []Defect{
			{Name: "a packet that is numbered enters without its number", Old: "else if (numbered) state <= NUMBER;", New: ""},
			{Name: "one that failed is sent", Old: "if (!used[slot] || !good) state <= IDLE;", New: "if (!used[slot]) state <= IDLE;"},
			{Name: "the mark says it is a packet", Old: "mark <= packet_abandon_ready;", New: "mark <= packet_commit_valid;"},
			{Name: "a mark takes a slot that is not free", Old: "packet_abandon_valid && free_valid;", New: "packet_abandon_valid;"},
			{Name: "both are taken at once", Old: "idle && !packet_abandon_ready;", New: "idle;"},
			{Name: "counted twice", Old: "COUNT:   if (exchange_response.done) state <= IDLE;", New: "COUNT:   if (exchange_response.done) state <= numbered ? NUMBER : IDLE;"},
			{Name: "a slot that was forgotten meanwhile enters", Old: "(state == ENTER || number_take) && used[slot];", New: "state == ENTER || number_take;"},
			{Name: "what failed is not given back", Old: "used[slot] && !good;", New: "1'b0;"},
		},
	},
	{
		Name:   "packet_table",
		Shows:  "complete packets of a tag come to the front one by one in the order in which they were completed, and do come there (sessions are closed when no packet was completed a cycle before); slots are given to one packet at a time, to a tag only below its limit",
		Design: []string{"ccl_offload/packet_table.sv"},
		Why:    "4 slots, 2 tags, 3 slots of a tag: slots and tags are alike",
		Depth:  10, K: 1,
		Broken: []Defect{
			{Name: "one that leaves moves all tags", Old: "tags[i*TAG +: TAG] == leaving_tag)", New: "1'b1)"},
			{Name: "those of other tags count", Old: "AHEAD'(queued[i] && tags[i*TAG +: TAG] == entering_tag)", New: "AHEAD'(queued[i])"},
			{Name: "every complete one is at the front", Old: "queued[i] && ahead[i*AHEAD +: AHEAD] == 0", New: "queued[i]"},
			{Name: "a slot is free when it leaves the order", Old: "& ~forget & ~release_;", New: "& ~forget & ~release_ & ~left;"},
			{Name: "one more slot than the limit", Old: "32'(count) < LIMIT", New: "32'(count) <= LIMIT"},
			{Name: "one that enters while another leaves is not told", Old: "else if (leaving && queued[i]", New: "else if (leaving && !entering && queued[i]"},
		},
	},
	{
		Name:   "packet_cutter",
		Shows:  "a move is cut into chunks, messages and packets without a byte lost or sent twice; packets fit into slots, headers count the bytes of their messages, numbers and addresses go on",
		Design: []string{"ccl_offload/packet_cutter.sv"},
		Sizes:  map[string]string{"engine_pkg.SLOT_BYTES": "32'd256", "engine_pkg.PACKET_PAYLOAD": "32'd192"},
		Why:    "slots of 256 bytes instead of 4096: sizes are only compared; moves have any number of bytes",
		Depth:  9, Base: 4, K: 1,
		Broken: []Defect{
			{Name: "a packet with a header fills the slot", Old: "headed ? PAYLOAD : SLOT", New: "SLOT"},
			{Name: "the message is not taken off the move", Old: "left  <= left - message;", New: "left  <= left - bytes;"},
			{Name: "messages go over the end of a chunk", Old: "move.issue.segment_bytes < chunk ? move.issue.segment_bytes : chunk", New: "move.issue.segment_bytes < left ? move.issue.segment_bytes : chunk"},
			{Name: "a chunk is the whole move", Old: "move.issue.chunk_bytes < uncut ? move.issue.chunk_bytes : uncut", New: "uncut"},
			{Name: "packets of a message all have headers", Old: "headed <= 1'b0;", New: "headed <= headed;"},
			{Name: "addresses stand still", Old: "sum(vaddr, 64'(bytes))", New: "sum(vaddr, 64'(rest))"},
			{Name: "the next packet begins before this one is full", Old: "default: if (take && room == take_bytes) begin", New: "default: if (take && room - take_bytes < 64) begin"},
		},
	},
}
