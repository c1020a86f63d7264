// Takes packets that come without a word before them: from a UDP stack, or from
// the engine itself. It keeps slots ready, so that a packet waits for none.
`default_nettype none

module rx_stream #(
    parameter bit LOOP = 1'b0 // packets come from the engine itself
) (
    input  wire                                 clk,
    input  wire                                 rst,
    input  wire                                 reset_network,
    output logic                                busy,       // a packet is coming
    output logic                                room,       // for a whole packet
    output logic                                oversize,   // a packet was dropped that is too large

    input  wire                                 in_valid,
    output logic                                in_ready,
    input  wire  [engine_pkg::DATA_WIDTH-1:0]   in_data,
    input  wire  [engine_pkg::KEEP_WIDTH-1:0]   in_keep,
    input  wire                                 in_last,
    input  wire  [15:0]                         in_session,

    output logic                                need_valid,
    input  wire                                 need_ready,
    input  wire  [engine_pkg::SLOT_WIDTH-1:0]   need_slot,

    output logic                                row_valid,
    input  wire                                 row_ready,
    output logic [engine_pkg::SLOT_WIDTH-1:0]   row_slot,
    output logic [engine_pkg::ROW_WIDTH-1:0]    row_number,
    output logic [engine_pkg::DATA_WIDTH-1:0]   row_data,
    output logic [engine_pkg::KEEP_WIDTH-1:0]   row_keep,
    output logic                                row_last,
    output logic                                row_good,   // with the last: the packet is as it should be
    output logic [engine_pkg::LENGTH_WIDTH-1:0] row_bytes,  // with the last
    output logic [15:0]                         row_session // with the last
);

    localparam int unsigned LENGTH = engine_pkg::LENGTH_WIDTH;
    localparam int unsigned ROW    = engine_pkg::ROW_WIDTH;

    localparam logic [ROW-1:0] LAST_ROW = ROW'(engine_pkg::SLOT_ROWS - 1);

    logic                              spare_valid, started, full, spoiled, taken;
    logic [engine_pkg::SLOT_WIDTH-1:0] spare_slot;
    logic [LENGTH-1:0]                 count;

    assign need_valid  = !spare_valid;
    assign busy        = started;
    assign row_valid   = in_valid && room && (!full || in_last);
    assign in_ready    = room && (row_ready || full && !in_last);
    assign taken       = in_valid && in_ready;
    assign row_data    = in_data;
    assign row_keep    = in_keep;
    assign row_last    = in_last;
    assign row_good    = !full && !spoiled && !reset_network;
    assign row_bytes   = LENGTH'({row_number, 6'd0}) + count;
    assign row_session = LOOP ? '0 : in_session;
    assign oversize    = taken && in_last && full;

    always_comb begin
        count = 'x; // simulation skips what is idle
        if (in_valid) begin
            count = '0;
            for (int unsigned i = 0; i < engine_pkg::KEEP_WIDTH; i++) count = count + LENGTH'(in_keep[i]);
        end
    end

    always_ff @(posedge clk) begin
        if (rst) begin
            room        <= 1'b0;
            spare_valid <= 1'b0;
            started     <= 1'b0;
            full        <= 1'b0;
            spoiled     <= 1'b0;
            row_number  <= '0;
        end else begin
            if (need_valid && need_ready) spare_valid <= 1'b1;
            if (!room || taken && in_last) begin
                room <= spare_valid;
                if (spare_valid) spare_valid <= 1'b0;
            end
            if (started && reset_network) spoiled <= 1'b1;
            if (taken) begin
                started    <= !in_last;
                row_number <= row_number == LAST_ROW ? row_number : row_number + 1'b1;
                if (row_number == LAST_ROW) full <= 1'b1;
                if (in_last) begin
                    row_number <= '0;
                    full       <= 1'b0;
                    spoiled    <= 1'b0;
                end else if (reset_network) spoiled <= 1'b1;
            end
        end
        if (need_valid && need_ready) spare_slot <= need_slot;
        if (!room || taken && in_last) row_slot <= spare_slot;
    end

endmodule

`default_nettype wire
