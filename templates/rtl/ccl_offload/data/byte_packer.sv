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

    logic [WIDTH-1:0]   part, part_now;      // of the row that is not full
    logic [KEEP-1:0]    part_strobe, strobe_now, beat_strobe;
    logic [5:0]         level;               // where the next byte goes
    logic [5:0]         place;
    logic [2*WIDTH-1:0] row;
    logic [2*KEEP-1:0]  strobe;
    logic [6:0]         filled;              // bytes of the row, with the beat; may pass its end
    logic               spills, ends, take, flushing;

    assign place       = in_first && !in_continues ? in_offset : level;
    assign part_now    = in_first && !in_continues ? '0 : part;
    assign strobe_now  = in_first && !in_continues ? '0 : part_strobe;
    assign beat_strobe = in_bytes == 7'(KEEP) ? '1 : ~({KEEP{1'b1}} << in_bytes);
    assign row         = (2*WIDTH)'(part_now) | ((2*WIDTH)'(masked) << {place, 3'd0});
    assign strobe      = (2*KEEP)'(strobe_now) | ((2*KEEP)'(beat_strobe) << place);
    assign spills      = 8'(place) + 8'(in_bytes) > 8'(KEEP);
    assign filled      = 7'(place) + in_bytes;
    assign ends        = in_last && in_flush;

    logic [WIDTH-1:0] masked;
    always_comb for (int unsigned i = 0; i < KEEP; i++) masked[8*i +: 8] = in_data[8*i +: 8] & {8{beat_strobe[i]}};

    // A flush that finds a second row in part takes a cycle of its own.
    assign in_ready = (!out_valid || out_ready) && !flushing;
    assign take     = in_valid && in_ready;

    always_ff @(posedge clk) begin
        if (rst) begin
            out_valid   <= 1'b0;
            flushing    <= 1'b0;
            level       <= '0;
            part        <= '0;
            part_strobe <= '0;
        end else if (!out_valid || out_ready) begin
            if (flushing) begin
                out_valid   <= 1'b1;
                out_data    <= part;
                out_strobe  <= part_strobe;
                out_last    <= 1'b1;
                flushing    <= 1'b0;
                level       <= '0;
                part        <= '0;
                part_strobe <= '0;
            end else begin
                out_valid <= 1'b0;
                if (take) begin
                    out_valid   <= spills || ends || filled == 7'(KEEP);
                    out_data    <= row[WIDTH-1:0];
                    out_strobe  <= strobe[KEEP-1:0];
                    out_last    <= ends && !spills;
                    flushing    <= ends && spills;
                    level       <= ends && !spills ? '0 : filled[5:0];
                    part        <= spills ? row[2*WIDTH-1:WIDTH] : (ends || filled == 7'(KEEP)) ? '0 : row[WIDTH-1:0];
                    part_strobe <= spills ? strobe[2*KEEP-1:KEEP]
                        : (ends || filled == 7'(KEEP)) ? '0 : strobe[KEEP-1:0];
                end
            end
        end
        if (forget) begin
            level       <= '0;
            part        <= '0;
            part_strobe <= '0;
        end
    end

endmodule

`default_nettype wire
