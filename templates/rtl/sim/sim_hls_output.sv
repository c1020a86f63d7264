// A stream from a kernel in C++. A beat comes in the cycle after it was written, at
// the earliest, and stays until it is taken.
`default_nettype none

module sim_hls_output #(
    parameter int COMPONENT  = 0,   // number of the kernel in the simulation
    parameter int PORT       = 0,   // number of the stream at its kernel
    parameter int WIDTH      = 512, // bits of data
    parameter int DEST_WIDTH = 1    // bits of TDEST
) (
    input  wire                   clk,
    input  wire                   rst,

    output logic                  tvalid,
    input  wire                   tready,
    output logic [WIDTH-1:0]      tdata,
    output logic [WIDTH/8-1:0]    tkeep,
    output logic                  tlast,
    output logic [DEST_WIDTH-1:0] tdest
);

    // The next beat, if there is one.
    import "DPI-C" function bit sim_hls_give(input int component, input int port, output bit [511:0] data,
                                             output bit [63:0] keep, output bit last, output int tdest);

    bit [511:0] data;
    bit [63:0]  keep;
    bit         last;
    int         dest;
    wire        unused = &{1'b0, data, keep, dest};

    always_ff @(posedge clk)
        if (rst) tvalid <= 1'b0;
        else if (!tvalid || tready) begin
            tvalid <= sim_hls_give(COMPONENT, PORT, data, keep, last, dest);
            tdata  <= WIDTH'(data);
            tkeep  <= (WIDTH / 8)'(keep);
            tlast  <= last;
            tdest  <= DEST_WIDTH'(dest);
        end

endmodule

`default_nettype wire
