// Lets two clients share an engine. Calls go on one after another, without
// waiting for answers, each client's up to a limit: then the engine always has
// room for the other one's, and every answer has a place here.
//
// Arbiters can stand behind each other. Each one puts a bit into the number of
// the client that the first word of a call carries below its highest bit, and
// takes it out of the answer, where the number stands in the same place.
`default_nettype none

module client_arbiter #(
    parameter int unsigned LIMIT = cclo_pkg::OPEN_CALLS // of calls without an answer, of each client
) (
    input  wire         ap_clk,
    input  wire         ap_rst_n,

    input  wire         cmd_clients_0_tvalid,
    output logic        cmd_clients_0_tready,
    input  wire  [31:0] cmd_clients_0_tdata,
    output logic        ack_clients_0_tvalid,
    input  wire         ack_clients_0_tready,
    output logic [31:0] ack_clients_0_tdata,

    input  wire         cmd_clients_1_tvalid,
    output logic        cmd_clients_1_tready,
    input  wire  [31:0] cmd_clients_1_tdata,
    output logic        ack_clients_1_tvalid,
    input  wire         ack_clients_1_tready,
    output logic [31:0] ack_clients_1_tdata,

    output logic        cmd_cclo_tvalid,
    input  wire         cmd_cclo_tready,
    output logic [31:0] cmd_cclo_tdata,
    input  wire         ack_cclo_tvalid,
    output logic        ack_cclo_tready,
    input  wire  [31:0] ack_cclo_tdata
);

    localparam int unsigned NUMBER_WIDTH  = cclo_pkg::CALL_HEAD_CLIENT_WIDTH;
    localparam int unsigned CALL_NUMBER   = cclo_pkg::CALL_HEAD_CLIENT_LOW;
    localparam int unsigned ANSWER_NUMBER = cclo_pkg::CALL_ANSWER_CLIENT_LOW;
    localparam int unsigned COUNT         = $clog2(LIMIT + 1);

    logic rst;

    always_ff @(posedge ap_clk) rst <= !ap_rst_n;

    // Calls.
    logic             owned, owner;     // whose call is passed on
    logic             last_owner;
    logic [3:0]       passed;           // words of it
    logic [1:0]       may_call, answered;
    logic             call_valid, call_ready, ends;
    logic [31:0]      word, call_data;
    logic [COUNT-1:0] open_0, open_1;   // calls without an answer

    assign may_call[0] = cmd_clients_0_tvalid && open_0 != COUNT'(LIMIT);
    assign may_call[1] = cmd_clients_1_tvalid && open_1 != COUNT'(LIMIT);

    assign call_valid           = owned && (owner ? cmd_clients_1_tvalid : cmd_clients_0_tvalid);
    assign word                 = owner ? cmd_clients_1_tdata : cmd_clients_0_tdata;
    assign cmd_clients_0_tready = owned && !owner && call_ready;
    assign cmd_clients_1_tready = owned && owner && call_ready;
    assign ends                 = call_valid && call_ready && passed == 4'(cclo_pkg::CALL_WORDS - 1);

    always_comb begin
        call_data = word;
        if (passed == 4'(cclo_pkg::CALL_SCENARIO_WORD))
            call_data[CALL_NUMBER +: NUMBER_WIDTH] = {word[CALL_NUMBER +: NUMBER_WIDTH-1], owner};
    end

    always_ff @(posedge ap_clk) begin
        if (rst) begin
            owned      <= 1'b0;
            owner      <= 1'b0;
            last_owner <= 1'b1;
            passed     <= '0;
            open_0     <= '0;
            open_1     <= '0;
        end else begin
            if (!owned) begin
                owned <= |may_call;
                owner <= may_call == 2'b11 ? !last_owner : may_call[1];
            end else if (ends) begin
                owned      <= 1'b0;
                last_owner <= owner;
                passed     <= '0;
            end else if (call_valid && call_ready) begin
                passed <= passed + 4'd1;
            end
            open_0 <= open_0 + COUNT'(ends && !owner) - COUNT'(answered[0]);
            open_1 <= open_1 + COUNT'(ends && owner) - COUNT'(answered[1]);
        end
    end

    skid_buffer #(.WIDTH(32)) calls (
        .clk(ap_clk), .rst(rst),
        .in_valid(call_valid), .in_ready(call_ready), .in_data(call_data),
        .out_valid(cmd_cclo_tvalid), .out_ready(cmd_cclo_tready), .out_data(cmd_cclo_tdata)
    );

    // Answers. One that nobody waits for is dropped.
    logic        mine;       // whose
    logic [31:0] answer;
    logic [1:0]  room, push;

    assign mine            = ack_cclo_tdata[ANSWER_NUMBER];
    assign ack_cclo_tready = 1'b1;
    assign push[0]         = ack_cclo_tvalid && !mine;
    assign push[1]         = ack_cclo_tvalid && mine;
    assign answered[0]     = ack_clients_0_tvalid && ack_clients_0_tready;
    assign answered[1]     = ack_clients_1_tvalid && ack_clients_1_tready;

    always_comb begin
        answer                      = ack_cclo_tdata;
        answer[ANSWER_NUMBER +: NUMBER_WIDTH] = {1'b0, ack_cclo_tdata[ANSWER_NUMBER+1 +: NUMBER_WIDTH-1]};
    end

    logic [COUNT-1:0] count_0, count_1;

    fifo #(.WIDTH(32), .DEPTH(LIMIT)) answers_0 (
        .clk(ap_clk), .rst(rst), .clear(1'b0),
        .in_valid(push[0]), .in_ready(room[0]), .in_data(answer),
        .out_valid(ack_clients_0_tvalid), .out_ready(ack_clients_0_tready),
        .out_data(ack_clients_0_tdata), .count(count_0)
    );

    fifo #(.WIDTH(32), .DEPTH(LIMIT)) answers_1 (
        .clk(ap_clk), .rst(rst), .clear(1'b0),
        .in_valid(push[1]), .in_ready(room[1]), .in_data(answer),
        .out_valid(ack_clients_1_tvalid), .out_ready(ack_clients_1_tready),
        .out_data(ack_clients_1_tdata), .count(count_1)
    );

    wire unused = &{1'b0, room, count_0, count_1, word[CALL_NUMBER+NUMBER_WIDTH-1]};

endmodule

`default_nettype wire
