package proofs

// movers are blocks of the external data movers.
var movers = []Proof{
	{
		Name:   "dma_line_fifo",
		Shows:  "lines come out once, unchanged and in order, one a cycle; all room is used, none twice",
		Design: []string{"external_dma/dma_line_fifo.sv"},
		Why:    "4 lines of 2 bits instead of 512 of 512: lines are not looked at, the depth is any power of two",
		Depth:  12, K: 1, Quick: true,
		Broken: []Defect{
			{Name: "a line is shown before it is stored", Old: "out_valid <= count != COUNT'(pop)", New: "out_valid <= count != COUNT'(pop) || push"},
			{Name: "the line behind the one that leaves is not fetched", Old: "memory[next_head]", New: "memory[head]"},
			{Name: "the last line is shown twice", Old: "out_valid <= count != COUNT'(pop)", New: "out_valid <= count != '0"},
			{Name: "a full queue takes one more", Old: "count != COUNT'(DEPTH);", New: "1'b1;"},
			{Name: "the writing end moves with what leaves", Old: "tail + POINTER'(push)", New: "tail + POINTER'(push && !pop)"},
		},
	},
	{
		Name:   "dma_read_switch",
		Shows:  "each burst is asked of the memory it names; data come back of the right one, in the order of addresses; every outstanding burst has a place",
		Design: []string{"external_dma/dma_read_switch.sv", "common/fifo.sv"},
		Why:    "3 bursts outstanding instead of 64; one bit of data and of the response is free",
		Depth:  10, K: 1, Quick: true,
		Broken: []Defect{
			{Name: "asked without room for the order", Old: "ar_valid && ar_memory && room;", New: "ar_valid && ar_memory;"},
			{Name: "taken although the memory did not", Old: "room && (ar_memory ? ar1_ready : ar0_ready)", New: "room && (ar_memory ? ar1_ready : ar1_ready)"},
			{Name: "data of whoever is there", Old: "expected && (from ? r1_valid : r0_valid)", New: "expected && (r1_valid || r0_valid)"},
			{Name: "every beat ends its burst", Old: ".out_ready(r_valid && r_ready && last)", New: ".out_ready(r_valid && r_ready)"},
			{Name: "the other memory's data are taken, too", Old: "expected && !from && r_ready;", New: "expected && r_ready;"},
			{Name: "an address that waits is noted", Old: ".in_valid(ar_valid && ar_ready)", New: ".in_valid(ar_valid)"},
		},
	},
	{
		Name:   "dma_write_switch",
		Shows:  "each burst is asked of the memory it names; data go to it after its address and in order; responses come of the right one, in order",
		Design: []string{"external_dma/dma_write_switch.sv", "common/fifo.sv"},
		Why:    "3 bursts outstanding instead of 64",
		Depth:  10, K: 1, Quick: true,
		Broken: []Defect{
			{Name: "data before their address", Old: "w_valid && data_due && !data_to", New: "w_valid && !data_to"},
			{Name: "only the data need room", Old: "data_room && answer_room;", New: "data_room;"},
			{Name: "responses in any order", Old: "answer_due && (answer_from ? b1_valid : b0_valid)", New: "answer_due && (b1_valid || b0_valid)"},
			{Name: "the first beat ends the data", Old: "w_valid && w_ready && w_last", New: "w_valid && w_ready"},
			{Name: "data settle the burst", Old: ".out_ready(b_valid && b_ready), .out_data(answer_from)", New: ".out_ready(w_valid && w_ready && w_last), .out_data(answer_from)"},
			{Name: "a response is taken while another one is due", Old: "answer_due && !answer_from && b_ready", New: "answer_due && b_ready"},
		},
	},
	{
		Name:   "dma_rotate",
		Shows:  "two enabled cycles later every byte stands as many lanes to the right (or left) as it was told; an idle cycle moves nothing",
		Design: []string{"external_dma/dma_rotate.sv"},
		Why:    "one bit of each byte: all of a byte go the same way",
		Depth:  4, K: 1,
		Broken: []Defect{
			{Name: "the second stage turns by what the next line wants", Old: "lanes  <= in_lanes[2:0];", New: "lanes  <= in_lanes[5:3];"},
			{Name: "8 lanes turned the wrong way", Old: "{by16[63:0], by16[511:64]}", New: "{by16[447:0], by16[511:448]}"},
			{Name: "2 lanes to the left are 1", Old: "{by4[495:0], by4[511:496]}", New: "{by4[503:0], by4[511:504]}"},
			{Name: "an idle cycle moves the first stage", Old: "if (enable && in_valid) begin", New: "if (in_valid) begin", Depth: 5},
			{Name: "an idle cycle moves the second stage", Old: "if (enable && valid) out_data", New: "if (valid) out_data", Depth: 5},
		},
	},
	{
		Name:   "dma_read_align",
		Shows:  "every command takes its lines and no other, gives its bytes from lane 0 on, unchanged and in order, with exact TKEEP and TLAST, and one status that says how it went",
		Design: []string{"external_dma/dma_read_align.sv", "external_dma/dma_rotate.sv", "common/skid_buffer.sv", "common/fifo.sv"},
		Why:    "all as in the hardware; one bit of each byte is free: all of a byte go the same way",
		Depth:  8, K: 1,
		Broken: []Defect{
			{Name: "a line is taken although all bytes are here", Old: "take  = bytes_left != '0 && !(primed && fits);", New: "take  = bytes_left != '0;"},
			{Name: "one byte too few of the line before", Old: "fits ? 7'd64 : 7'd64 - 7'(offset)", New: "fits ? 7'd64 : 7'd63 - 7'(offset)"},
			{Name: "a beat goes out before its second line is there", Old: "(offset == '0 || primed || fits)", New: "(offset == '0 || primed || bytes_left <= 23'd64)"},
			{Name: "the next command begins before the last line is there", Old: "(go && ends)", New: "ends"},
			{Name: "every beat ends the packet", Old: "last && bytes_left <= 23'd64", New: "last"},
			{Name: "only the error of the last line counts", Old: "slave_error2  = slave_error || response2 == 2'b10;", New: "slave_error2  = response2 == 2'b10;"},
			{Name: "errors stay for the next command", Old: "(rst || (advance && valid2 && ends2))", New: "(rst)"},
		},
	},
}
