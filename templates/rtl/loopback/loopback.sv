// Sends back what it receives. The kernel has 512 bits, and the linker fits other
// widths to it; a simulation sets WIDTH to that of the stream it closes.
`default_nettype none

module loopback #(
    parameter int unsigned WIDTH      = 512, // bits of data
    parameter int unsigned DEST_WIDTH = 8    // bits of TDEST
) (
    input  wire                   ap_clk,
    input  wire                   ap_rst_n,

    input  wire                   in_tvalid,
    output logic                  in_tready,
    input  wire  [WIDTH-1:0]      in_tdata,
    input  wire  [WIDTH/8-1:0]    in_tkeep,
    input  wire                   in_tlast,
    input  wire  [DEST_WIDTH-1:0] in_tdest,

    output logic                  out_tvalid,
    input  wire                   out_tready,
    output logic [WIDTH-1:0]      out_tdata,
    output logic [WIDTH/8-1:0]    out_tkeep,
    output logic                  out_tlast,
    output logic [DEST_WIDTH-1:0] out_tdest
);

    skid_buffer #(.WIDTH(WIDTH + WIDTH / 8 + 1 + DEST_WIDTH)) register (
        .clk(ap_clk), .rst(!ap_rst_n),
        .in_valid(in_tvalid), .in_ready(in_tready),
        .in_data({in_tdest, in_tlast, in_tkeep, in_tdata}),
        .out_valid(out_tvalid), .out_ready(out_tready),
        .out_data({out_tdest, out_tlast, out_tkeep, out_tdata})
    );

endmodule

`default_nettype wire
