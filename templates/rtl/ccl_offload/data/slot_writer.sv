// Writes what is to be sent into packet slots, slice by slice, each from any
// byte of its slot on.
`default_nettype none

module slot_writer #(
    parameter int unsigned DEPTH = 8 // slices at a time
) (
    input  wire  clk,
    input  wire  rst,

    input  wire  slice_valid,                       // there is room for DEPTH
    input  wire  [engine_pkg::LENGTH_WIDTH-1:0] slice_bytes,
    input  wire  [engine_pkg::SLOT_WIDTH-1:0] slice_slot,
    input  wire  slice_headed,
    input  wire  [engine_pkg::LENGTH_WIDTH-1:0] slice_offset,

    input  wire  in_valid,
    output logic in_ready,
    input  wire  [engine_pkg::DATA_WIDTH-1:0] in_data,
    output logic done,                              // a slice lies in its slot

    output logic slot_write_valid,
    output logic [engine_pkg::SLOT_WIDTH-1:0] slot_write_slot,
    output logic [engine_pkg::ROW_WIDTH-1:0] slot_write_row,
    output logic [engine_pkg::DATA_WIDTH-1:0] slot_write_data,
    output logic [engine_pkg::KEEP_WIDTH-1:0] slot_write_strobe
);

    localparam int unsigned LENGTH = engine_pkg::LENGTH_WIDTH;
    localparam int unsigned SLOT   = engine_pkg::SLOT_WIDTH;
    localparam int unsigned ROW    = engine_pkg::ROW_WIDTH;
    localparam int unsigned KEEP   = engine_pkg::KEEP_WIDTH;

    logic              there, headed, last, move, first, packer_ready, row_last;
    logic [LENGTH-1:0] bytes, offset;
    logic [SLOT-1:0]   slot;
    logic [6:0]        beat_bytes;
    logic [ROW-1:0]    row;
    logic _unused_room;
    logic [$clog2(DEPTH+1)-1:0] _unused_count;
    logic [KEEP-1:0] _unused_keep;

    fifo #(.WIDTH(1 + SLOT + 2 * LENGTH), .DEPTH(DEPTH)) slices (
        .clk, .rst, .clear(1'b0),
        .in_valid(slice_valid), .in_ready(_unused_room),
        .in_data({slice_headed, slice_slot, slice_offset, slice_bytes}),
        .out_valid(there), .out_ready(move && last), .out_data({headed, slot, offset, bytes}), .count(_unused_count)
    );
    beat_counter counter (
        .clk, .rst, .bytes, .move, .last, .keep(_unused_keep), .beat_bytes
    );

    assign in_ready = there && packer_ready;
    assign move     = in_valid && in_ready;

    byte_packer packer (
        .clk, .rst, .forget(1'b0),
        .in_valid(in_valid && there), .in_ready(packer_ready), .in_data, .in_bytes(beat_bytes),
        .in_first(first), .in_last(last), .in_continues(1'b0), .in_offset(offset[5:0]), .in_flush(1'b1),
        .out_valid(slot_write_valid), .out_ready(1'b1), .out_data(slot_write_data),
        .out_strobe(slot_write_strobe), .out_last(row_last)
    );

    // Rows leave the packer one cycle after the beat that completes them.
    assign slot_write_row = row;
    assign done           = slot_write_valid && row_last;

    always_ff @(posedge clk) begin
        if (rst) first <= 1'b1;
        else if (move) first <= last;
        if (move && first) begin
            row             <= ROW'(offset >> 6) + ROW'(headed);
            slot_write_slot <= slot;
        end else if (slot_write_valid) begin
            row <= row + 1'b1;
        end
    end

endmodule

`default_nettype wire
