// A stream into a kernel in C++.
`default_nettype none

module sim_hls_input #(
    parameter int COMPONENT  = 0,   // number of the kernel in the simulation
    parameter int PORT       = 0,   // number of the stream at its kernel
    parameter int WIDTH      = 512, // bits of data
    parameter int DEST_WIDTH = 1    // bits of TDEST
) (
    input  wire                   clk,
    input  wire                   rst,

    input  wire                   tvalid,
    output logic                  tready,
    input  wire  [WIDTH-1:0]      tdata,
    input  wire  [WIDTH/8-1:0]    tkeep,
    input  wire                   tlast,
    input  wire  [DEST_WIDTH-1:0] tdest
);

    // Takes a beat, if there is one; the result says whether there is room for
    // another one.
    import "DPI-C" function bit sim_hls_take(input int component, input int port, input bit valid,
        input bit [511:0] data, input bit [63:0] keep, input bit last, input int tdest);

    always_ff @(posedge clk)
        if (rst) tready <= 1'b0;
        else if (tvalid || !tready)
            tready <= sim_hls_take(COMPONENT, PORT, tvalid && tready, 512'(tdata), 64'(tkeep), tlast, 32'(tdest));

endmodule

`default_nettype wire
