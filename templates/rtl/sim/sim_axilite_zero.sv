// A control port without registers: writes are ignored, and every word is 0.
`default_nettype none

module sim_axilite_zero (
    input  wire         clk,
    input  wire         rst,

    input  wire         awvalid,
    output logic        awready,
    input  wire         wvalid,
    output logic        wready,
    output logic        bvalid,
    input  wire         bready,
    output logic [1:0]  bresp,
    input  wire         arvalid,
    output logic        arready,
    output logic        rvalid,
    input  wire         rready,
    output logic [31:0] rdata,
    output logic [1:0]  rresp
);

    assign bresp   = '0;
    assign rresp   = '0;
    assign rdata   = '0;
    assign awready = awvalid && wvalid && !bvalid;
    assign wready  = awready;
    assign arready = !rvalid;

    always_ff @(posedge clk) begin
        bvalid <= !rst && (awready || bvalid && !bready);
        rvalid <= !rst && (arvalid && arready || rvalid && !rready);
    end

endmodule

`default_nettype wire
