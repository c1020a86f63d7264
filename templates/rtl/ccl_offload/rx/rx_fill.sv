// Takes packets that were told of before: their slots and lengths are known.
`default_nettype none

module rx_fill (
    input  wire                                 clk,
    input  wire                                 rst,
    output logic                                busy,

    input  wire                                 expect_valid,
    output logic                                expect_ready,
    input  wire  [engine_pkg::SLOT_WIDTH-1:0]   expect_slot,
    input  wire  [15:0]                         expect_session,
    input  wire  [engine_pkg::LENGTH_WIDTH-1:0] expect_bytes,

    input  wire                                 in_valid,
    output logic                                in_ready,
    input  wire  [engine_pkg::DATA_WIDTH-1:0]   in_data,

    output logic                                row_valid,
    input  wire                                 row_ready,
    output logic [engine_pkg::SLOT_WIDTH-1:0]   row_slot,
    output logic [engine_pkg::ROW_WIDTH-1:0]    row_number,
    output logic [engine_pkg::DATA_WIDTH-1:0]   row_data,
    output logic [engine_pkg::KEEP_WIDTH-1:0]   row_keep,
    output logic                                row_last,
    output logic                                row_good,
    output logic [engine_pkg::LENGTH_WIDTH-1:0] row_bytes,
    output logic [15:0]                         row_session
);

    localparam int unsigned LENGTH = engine_pkg::LENGTH_WIDTH;
    localparam int unsigned SLOT   = engine_pkg::SLOT_WIDTH;
    localparam int unsigned KEEP   = engine_pkg::KEEP_WIDTH;

    logic              coming, next;
    logic [LENGTH-1:0] end_;
    logic [5:0]        waiting;

    // The last row of what is expected is that of its last byte.
    assign end_      = row_bytes - 1'b1;
    assign row_valid = in_valid && coming;
    assign in_ready  = row_ready && coming;
    assign row_data  = in_data;
    assign row_last  = end_[6 +: engine_pkg::ROW_WIDTH] == row_number;
    assign next      = row_valid && row_ready && row_last;
    assign row_keep  = row_last ? ~({{KEEP - 1{1'b1}}, 1'b0} << end_[5:0]) : '1;
    assign row_good  = 1'b1;
    assign busy      = coming;

    fifo #(.WIDTH(SLOT + 16 + LENGTH), .DEPTH(engine_pkg::SLOTS)) expected (
        .clk, .rst, .clear(1'b0),
        .in_valid(expect_valid), .in_ready(expect_ready), .in_data({expect_slot, expect_session, expect_bytes}),
        .out_valid(coming), .out_ready(next), .out_data({row_slot, row_session, row_bytes}),
        .count(waiting)
    );

    always_ff @(posedge clk) begin
        if (rst) row_number <= '0;
        else if (next) row_number <= '0;
        else if (row_valid && row_ready) row_number <= row_number + 1'b1;
    end

    wire unused = &{1'b0, waiting, end_};

endmodule

`default_nettype wire
