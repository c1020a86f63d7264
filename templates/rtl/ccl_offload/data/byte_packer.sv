// Packs slices of any number of bytes into rows of a beat each, with a strobe
// for each byte. A slice begins where it is told to in a row, or where the one
// before ended; a row that is not full at the end of a slice is written out in
// part if the slice is flushed, and is otherwise continued by the next one.
`default_nettype none

module byte_packer (
    input  wire  clk,
    input  wire  rst,
    input  wire  forget,                // a pulse between slices: a row that is not full is dropped

    input  wire  in_valid,
    output logic in_ready,
    input  wire  [engine_pkg::DATA_WIDTH-1:0] in_data,
    input  wire  [6:0] in_bytes,        // of the beat: 1 to 64; full but for the last of a slice
    input  wire  in_first,              // of a slice
    input  wire  in_last,
    input  wire  in_continues,          // the slice begins where the one before ended
    input  wire  [5:0] in_offset,       // else here
    input  wire  in_flush,

    output logic out_valid,
    input  wire  out_ready,
    output logic [engine_pkg::DATA_WIDTH-1:0] out_data,
    output logic [engine_pkg::KEEP_WIDTH-1:0] out_strobe,
    output logic out_last               // nothing of the slice is left behind it
);

    localparam int unsigned WIDTH = engine_pkg::DATA_WIDTH;
    localparam int unsigned KEEP  = engine_pkg::KEEP_WIDTH;

    logic [WIDTH-1:0]  part;                // of the row that is not full, where it is strobed
    logic [KEEP-1:0]   part_strobe;
    logic [5:0]        level;               // where the next byte goes
    logic [5:0]        place;
    logic [WIDTH-1:0]  turned;              // the beat, in the lanes that its bytes go to
    logic [KEEP-1:0]   there, lands, next;  // lanes of the row: full before, filled by the beat; of the next row
    logic [6:0]        filled;              // bytes of the row, with the beat; may pass its end
    logic              fresh, spills, full, ends, take, flushing;

    byte_rotate #(.LEFT(1'b1)) rotate (.in_data, .lanes(place), .out_data(turned));

    assign fresh  = in_first && !in_continues;
    assign place  = fresh ? in_offset : level;
    assign filled = 7'(place) + in_bytes;
    assign spills = filled > 7'(KEEP);
    assign full   = filled >= 7'(KEEP);
    assign ends   = in_last && in_flush;
    assign there  = fresh && !flushing ? '0 : part_strobe;
    assign next   = ~({KEEP{1'b1}} << filled[5:0]);
    assign lands  = flushing ? '0 : {KEEP{1'b1}} << place & (next | {KEEP{filled[6]}});

    // A flush that finds a second row in part takes a cycle of its own.
    assign in_ready = (!out_valid || out_ready) && !flushing;
    assign take     = in_valid && in_ready;

    always_ff @(posedge clk) begin
        for (int unsigned i = 0; i < KEEP; i++)
            if (take && (lands[i] || spills && next[i])) part[8*i +: 8] <= turned[8*i +: 8];
        if (!out_valid || out_ready) begin
            for (int unsigned i = 0; i < KEEP; i++)
                out_data[8*i +: 8] <= part[8*i +: 8] & {8{there[i]}} | turned[8*i +: 8] & {8{lands[i]}};
            out_strobe <= there | lands;
            out_last   <= flushing || ends && !spills;
        end
        if (rst) begin
            out_valid   <= 1'b0;
            flushing    <= 1'b0;
            level       <= '0;
            part_strobe <= '0;
        end else if (!out_valid || out_ready) begin
            out_valid <= flushing || take && (full || ends);
            flushing  <= take && ends && spills;
            if (flushing) part_strobe <= '0;
            if (take) begin
                level       <= ends ? '0 : filled[5:0];
                part_strobe <= spills ? next : full || ends ? '0 : there | lands;
            end
        end
        if (forget) begin
            level       <= '0;
            part_strobe <= '0;
        end
    end

endmodule

`default_nettype wire
