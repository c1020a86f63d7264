// The pins of a kernel's control port, as its parts have them. Wires only.
`default_nettype none

module axilite_port #(
    parameter int unsigned ADDRESS_WIDTH = 12 // bits of a byte address
) (
    input  wire                      s_axi_control_awvalid,
    output logic                     s_axi_control_awready,
    input  wire  [ADDRESS_WIDTH-1:0] s_axi_control_awaddr,
    input  wire                      s_axi_control_wvalid,
    output logic                     s_axi_control_wready,
    input  wire  [31:0]              s_axi_control_wdata,
    input  wire  [3:0]               s_axi_control_wstrb,
    output logic                     s_axi_control_bvalid,
    input  wire                      s_axi_control_bready,
    output logic [1:0]               s_axi_control_bresp,
    input  wire                      s_axi_control_arvalid,
    output logic                     s_axi_control_arready,
    input  wire  [ADDRESS_WIDTH-1:0] s_axi_control_araddr,
    output logic                     s_axi_control_rvalid,
    input  wire                      s_axi_control_rready,
    output logic [31:0]              s_axi_control_rdata,
    output logic [1:0]               s_axi_control_rresp,

    output axilite_pkg::request_t control_request,
    input  wire axilite_pkg::response_t control_response
);

    assign control_request = {
        s_axi_control_awvalid, 32'(s_axi_control_awaddr), s_axi_control_wvalid, s_axi_control_wdata,
        s_axi_control_wstrb, s_axi_control_bready,
        s_axi_control_arvalid, 32'(s_axi_control_araddr), s_axi_control_rready
    };

    assign {
        s_axi_control_awready, s_axi_control_wready, s_axi_control_bvalid, s_axi_control_bresp,
        s_axi_control_arready, s_axi_control_rvalid, s_axi_control_rdata, s_axi_control_rresp
    } = control_response;

endmodule

`default_nettype wire
