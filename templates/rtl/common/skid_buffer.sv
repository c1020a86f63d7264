// Registers a stream in both directions at full rate: neither valid nor ready
// passes through combinationally.
`default_nettype none

module skid_buffer #(
    parameter int unsigned WIDTH = 8 // bits of a word
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

    logic [WIDTH-1:0] spare;
    logic             spare_full;

    assign in_ready = !spare_full;

    always_ff @(posedge clk) begin
        if (rst) begin
            out_valid  <= 1'b0;
            spare_full <= 1'b0;
        end else if (out_ready || !out_valid) begin
            out_valid  <= in_valid || spare_full;
            spare_full <= 1'b0;
        end else if (in_valid && in_ready) begin
            spare_full <= 1'b1;
        end
        if (out_ready || !out_valid) out_data <= spare_full ? spare : in_data;
        if (in_ready) spare <= in_data;
    end

endmodule

`default_nettype wire
