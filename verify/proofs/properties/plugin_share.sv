`default_nettype none

module proof (
    input wire       clk,
    input wire       rst,
    input wire       packet_valid,
    input wire       packet_second,
    input wire [1:0] operand_tvalid,
    input wire [3:0] operand_tdata,
    input wire [3:0] operand_tkeep,
    input wire [1:0] operand_tlast,
    input wire [3:0] operand_tdest,
    input wire [1:0] result_tready,
    input wire [1:0] result_last,
    input wire       plugin_operand_tready,
    input wire       plugin_result_tvalid
);

    localparam DEPTH = 2;

    wire [1:0] operand_tready, result_tvalid, plugin_operand_tdata, plugin_operand_tkeep, plugin_operand_tdest;
    wire       plugin_operand_tvalid, plugin_operand_tlast, plugin_result_tready, started;

    plugin_share #(.TDEST_WIDTH(2), .DEPTH(DEPTH)) dut (.*);

    wire [6:0] beat_0 = {operand_tlast[0], operand_tdest[1:0], operand_tkeep[1:0], operand_tdata[1:0]};
    wire [6:0] beat_1 = {operand_tlast[1], operand_tdest[3:2], operand_tkeep[3:2], operand_tdata[3:2]};
    wire [6:0] beat   = {plugin_operand_tlast, plugin_operand_tdest, plugin_operand_tkeep, plugin_operand_tdata};

    begins beginning (.*);
    stays_outside #(.WIDTH(7)) operand_0 (
        .clk, .rst, .valid(operand_tvalid[0]), .ready(operand_tready[0]), .data(beat_0)
    );
    stays_outside #(.WIDTH(7)) operand_1 (
        .clk, .rst, .valid(operand_tvalid[1]), .ready(operand_tready[1]), .data(beat_1)
    );
    stays_outside plugin_result (.clk, .rst, .valid(plugin_result_tvalid), .ready(plugin_result_tready), .data(1'b0));
    stays #(.WIDTH(7)) plugin_operand (
        .clk, .rst, .valid(plugin_operand_tvalid), .ready(plugin_operand_tready), .data(beat)
    );
    stays result_0 (.clk, .rst, .valid(result_tvalid[0]), .ready(result_tready[0]), .data(1'b0));
    stays result_1 (.clk, .rst, .valid(result_tvalid[1]), .ready(result_tready[1]), .data(1'b0));

    wire [1:0] gives   = operand_tvalid & operand_tready;
    wire [1:0] takes   = result_tvalid & result_tready;
    wire       feeds   = plugin_operand_tvalid && plugin_operand_tready;
    wire       answers = plugin_result_tvalid && plugin_result_tready;

    // Packets whose operands did not all go in, and those whose results did not all come out.
    wire [2:0] fed, fed_ahead, open, open_ahead;
    wire       fed_watched, fed_by, open_watched, open_to;
    in_order #(.WIDTH(1), .CAPACITY(DEPTH), .COUNT(3)) operands (
        .clk, .rst, .push(packet_valid), .in_data(packet_second),
        .pop((gives & operand_tlast) != 0), .out_data(gives[1]),
        .inside(fed), .watched(fed_watched), .ahead(fed_ahead), .data(fed_by)
    );
    in_order #(.WIDTH(1), .CAPACITY(DEPTH), .COUNT(3)) results (
        .clk, .rst, .push(packet_valid), .in_data(packet_second), .pop((takes & result_last) != 0), .out_data(takes[1]),
        .inside(open), .watched(open_watched), .ahead(open_ahead), .data(open_to)
    );

    // The lane that has given beats of a packet, and the one that has taken some.
    reg  midway, giver, under_way, taker;
    wire feed_first   = fed_watched && fed_ahead == 0;
    wire answer_first = open_watched && open_ahead == 0;
    always @(posedge clk) begin
        if (gives != 0) {midway, giver} <= {(gives & operand_tlast) == 0, gives[1]};
        if (takes != 0) {under_way, taker} <= {(takes & result_last) == 0, takes[1]};
        if (rst) {midway, under_way} <= 0;
    end

    always @* begin
        if (fed == DEPTH || open == DEPTH) assume (!packet_valid);
        if (started && !rst) begin
            one_gives: assert (gives != 2'b11 && (gives != 0) == feeds);
            if (plugin_operand_tvalid) of_a_packet: assert (fed != 0);
            if (plugin_operand_tvalid && feed_first)
                in_its_turn: assert (operand_tvalid[fed_by] && beat == (fed_by ? beat_1 : beat_0));
            if (gives != 0 && feed_first) given_in_order: assert (gives[1] == fed_by);
            if (gives[0]) unchanged_0: assert (beat == beat_0);
            if (gives[1]) unchanged_1: assert (beat == beat_1);
            if (gives != 0 && midway) given_whole: assert (gives[1] == giver);
            if (feed_first && operand_tvalid[fed_by]) operands_go_on: assert (plugin_operand_tvalid);

            one_is_offered: assert (result_tvalid != 2'b11);
            one_takes: assert ((takes != 0) == answers);
            if (result_tvalid != 0) result_of_a_packet: assert (plugin_result_tvalid && open != 0);
            if (result_tvalid != 0 && answer_first) offered_in_order: assert (result_tvalid[1] == open_to);
            if (takes != 0 && under_way) taken_whole: assert (takes[1] == taker);
            if (answer_first && plugin_result_tvalid)
                results_go_on: assert (result_tvalid[open_to] && plugin_result_tready == result_tready[open_to]);

            gets_full: cover (fed == DEPTH && open == DEPTH);
            other_lane_waits: cover (gives[1] && midway && operand_tvalid[0]);
            turns_change:
                cover (fed == 2 && gives[0] && operand_tlast[0] && takes[0]
                    && result_last[0] && operand_tvalid[1] && packet_valid == 0);
            results_behind: cover (takes[1] && under_way && gives[0] && fed == 1 && open == 2);
        end
    end

`ifdef INVARIANTS
    (* hierconn *) wire [1:0] \dut.givers.count ;
    (* hierconn *) wire       \dut.givers.head ;
    (* hierconn *) wire       \dut.givers.tail ;
    (* hierconn *) wire       \dut.givers.memory[0] ;
    (* hierconn *) wire       \dut.givers.memory[1] ;
    (* hierconn *) wire [1:0] \dut.takers.count ;
    (* hierconn *) wire       \dut.takers.head ;
    (* hierconn *) wire       \dut.takers.tail ;
    (* hierconn *) wire       \dut.takers.memory[0] ;
    (* hierconn *) wire       \dut.takers.memory[1] ;
    wire first_giver = \dut.givers.head ? \dut.givers.memory[1] : \dut.givers.memory[0] ;
    wire first_taker = \dut.takers.head ? \dut.takers.memory[1] : \dut.takers.memory[0] ;
    always @* if (started && !rst) begin
        assert (fed == \dut.givers.count && open == \dut.takers.count );
        assert (\dut.givers.tail == \dut.givers.head ^ fed[0]);
        assert (\dut.takers.tail == \dut.takers.head ^ open[0]);
        if (fed_watched)
            assert (fed_by == (\dut.givers.head ^ fed_ahead[0] ? \dut.givers.memory[1] : \dut.givers.memory[0] ));
        if (open_watched)
            assert (open_to == (\dut.takers.head ^ open_ahead[0] ? \dut.takers.memory[1] : \dut.takers.memory[0] ));
        if (midway) assert (fed != 0 && giver == first_giver);
        if (under_way) assert (open != 0 && taker == first_taker);
    end
`endif

endmodule

`default_nettype wire
