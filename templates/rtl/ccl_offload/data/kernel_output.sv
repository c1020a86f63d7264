// Joins what moves and remote ranks put on the kernel stream. Each goes on while
// it has beats; between them a packet is only divided when the other would wait
// for nothing.
`default_nettype none

module kernel_output #(
    parameter int unsigned PUT_BEATS = 256 // of messages to the stream that wait
) (
    input  wire  clk,
    input  wire  rst,

    input  wire  move_tvalid,
    output logic move_tready,
    input  wire  [engine_pkg::DATA_WIDTH-1:0] move_tdata,
    input  wire  [engine_pkg::KEEP_WIDTH-1:0] move_tkeep,
    input  wire  move_tlast,
    input  wire  [7:0] move_tdest,

    input  wire  put_valid,
    output logic put_ready,
    input  wire  [engine_pkg::DATA_WIDTH-1:0] put_data,
    input  wire  [engine_pkg::KEEP_WIDTH-1:0] put_keep,
    input  wire  put_last,
    input  wire  [7:0] put_tdest,
    output logic [8:0] put_room,
    output logic busy,

    output logic out_tvalid,
    input  wire  out_tready,
    output logic [engine_pkg::DATA_WIDTH-1:0] out_tdata,
    output logic [engine_pkg::KEEP_WIDTH-1:0] out_tkeep,
    output logic out_tlast,
    output logic [7:0] out_tdest
);

    localparam int unsigned WIDTH = engine_pkg::DATA_WIDTH + engine_pkg::KEEP_WIDTH + 9;

    logic             queued_valid, queued_ready, putting, put_turn, joined_ready;
    logic [WIDTH-1:0] queued, joined;
    logic [$clog2(PUT_BEATS+1)-1:0] count;

    fifo #(.WIDTH(WIDTH), .DEPTH(PUT_BEATS)) puts (
        .clk, .rst, .clear(1'b0),
        .in_valid(put_valid), .in_ready(put_ready), .in_data({put_tdest, put_last, put_keep, put_data}),
        .out_valid(queued_valid), .out_ready(queued_ready), .out_data(queued), .count
    );

    assign put_room     = 9'(PUT_BEATS) - 9'(count);
    assign busy         = queued_valid || out_tvalid;
    assign putting      = put_turn ? queued_valid : queued_valid && !move_tvalid;
    assign queued_ready = putting && joined_ready;
    assign move_tready  = !putting && joined_ready;
    assign joined       = putting ? queued : {move_tdest, move_tlast, move_tkeep, move_tdata};

    // The turn ends with a packet.
    always_ff @(posedge clk) begin
        if (rst) put_turn <= 1'b0;
        else if (queued_valid && queued_ready) put_turn <= !queued[WIDTH-9];
        else if (move_tvalid && move_tready) put_turn <= move_tlast;
    end

    skid_buffer #(.WIDTH(WIDTH)) register (
        .clk, .rst,
        .in_valid(queued_valid || move_tvalid), .in_ready(joined_ready), .in_data(joined),
        .out_valid(out_tvalid), .out_ready(out_tready), .out_data({out_tdest, out_tlast, out_tkeep, out_tdata})
    );

endmodule

`default_nettype wire
