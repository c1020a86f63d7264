// Stands in for the incoming side of the emulated Ethernet port: it is silent.
`default_nettype none

module sim_ipc_axis_master_512 (
    input  wire          ap_clk,
    input  wire          ap_rst_n,
    output logic         M00_AXIS_tvalid,
    input  wire          M00_AXIS_tready,
    output logic [511:0] M00_AXIS_tdata,
    output logic [63:0]  M00_AXIS_tkeep,
    output logic         M00_AXIS_tlast
);

    assign M00_AXIS_tvalid = 1'b0;
    assign M00_AXIS_tdata  = '0;
    assign M00_AXIS_tkeep  = '0;
    assign M00_AXIS_tlast  = 1'b0;

    wire unused = &{1'b0, ap_clk, ap_rst_n, M00_AXIS_tready};

endmodule

`default_nettype wire
