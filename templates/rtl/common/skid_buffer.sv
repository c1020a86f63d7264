// Registers a stream in both directions at full rate: neither valid nor ready
// passes through combinationally. Wide words lie in LUTRAM, which takes half of
// the LUTs that registers do with a multiplexer in front of them.
`default_nettype none

module skid_buffer #(
    parameter int unsigned WIDTH = 8,          // bits of a word
    parameter bit          WIDE  = WIDTH > 256 // in LUTRAM
) (
    input  wire              clk,
    input  wire              rst,

    input  wire              in_valid,
    output logic             in_ready,
    input  wire [WIDTH-1:0]  in_data,

    output logic             out_valid,
    input  wire              out_ready,
    output logic [WIDTH-1:0] out_data
);

    logic spare_full, push;

    assign in_ready = !spare_full;
    assign push     = in_valid && in_ready;

    always_ff @(posedge clk) begin
        if (rst) begin
            out_valid  <= 1'b0;
            spare_full <= 1'b0;
        end else if (out_ready || !out_valid) begin
            out_valid  <= in_valid || spare_full;
            spare_full <= 1'b0;
        end else if (push) begin
            spare_full <= 1'b1;
        end
    end

    if (WIDE) begin : wide
        logic [WIDTH-1:0] words [2];
        logic             head, tail;

        assign out_data = words[head];

        always_ff @(posedge clk) begin
            if (push) words[tail] <= in_data;
            if (rst) {head, tail} <= '0;
            else {head, tail} <= {head ^ (out_valid && out_ready), tail ^ push};
        end
    end else begin : narrow
        logic [WIDTH-1:0] spare;

        always_ff @(posedge clk) begin
            if (out_ready || !out_valid) out_data <= spare_full ? spare : in_data;
            if (in_ready) spare <= in_data;
        end
    end

endmodule

`default_nettype wire
