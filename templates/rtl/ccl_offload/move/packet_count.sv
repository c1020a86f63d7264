// Counts the packets of rendezvous data that a move sends: at least one.
`default_nettype none

module packet_count (
    input  wire         clk,
    input  wire         rst,

    input  wire         start,
    input  wire [31:0]  bytes,
    output logic        done,   // one cycle, with the count
    output logic [31:0] count,
    output logic        busy
);

    localparam int unsigned BEAT_LOG2 = 32'($clog2(cclo_pkg::BEAT_BYTES));
    localparam int unsigned ROW_LOG2  = engine_pkg::ROW_WIDTH;

    // A packet carries one row less than a slot has, and that is a power of
    // two: a quotient by rows, and what it leaves too much, again and again.
    logic [31:0] rows, high, low;

    assign high = rows >> ROW_LOG2;
    assign low  = rows & ((32'd1 << ROW_LOG2) - 32'd1);

    always_ff @(posedge clk) begin
        done <= 1'b0;
        if (rst) begin
            busy <= 1'b0;
        end else if (!busy) begin
            busy <= start;
        end else if (high == '0) begin
            busy <= 1'b0;
            done <= 1'b1;
        end
        if (!busy) begin
            rows  <= (bytes >> BEAT_LOG2) + 32'((bytes & (32'(cclo_pkg::BEAT_BYTES) - 32'd1)) != '0);
            count <= '0;
        end else if (high != '0) begin
            rows  <= high + low;
            count <= count + high;
        end else begin
            count <= count + 32'(rows != '0 || count == '0);
        end
    end

endmodule

`default_nettype wire
