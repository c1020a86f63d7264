// Simulated memory at an AXI4 port, 64 bytes wide. What it holds, how long it
// takes and which addresses fail is in the C++ behind its functions (memory.h).
//
// Bursts are answered in order: the first beat of data comes `latency` cycles
// after the address was taken, the response to a write as many after its last
// beat, but two at the least; then a beat a cycle. PORT tells ports apart, SPACE
// is the address space: all ports with the same number see the same bytes.
`default_nettype none

module sim_axi_memory #(
    parameter int PORT        = 0,   // its number in the simulation
    parameter int SPACE       = 0,   // memory that it leads to: its number in the simulation
    parameter int OUTSTANDING = 32,  // bursts each way, a power of two
    parameter bit CHECK       = 1'b1 // watch the rules of AXI
) (
    input  wire          clk,
    input  wire          rst,

    input  wire          s_axi_awvalid,
    output logic         s_axi_awready,
    input  wire  [63:0]  s_axi_awaddr,
    input  wire  [7:0]   s_axi_awlen,
    input  wire  [2:0]   s_axi_awsize,
    input  wire  [1:0]   s_axi_awburst,
    input  wire          s_axi_wvalid,
    output logic         s_axi_wready,
    input  wire  [511:0] s_axi_wdata,
    input  wire  [63:0]  s_axi_wstrb,
    input  wire          s_axi_wlast,
    output logic         s_axi_bvalid,
    input  wire          s_axi_bready,
    output logic [1:0]   s_axi_bresp,
    input  wire          s_axi_arvalid,
    output logic         s_axi_arready,
    input  wire  [63:0]  s_axi_araddr,
    input  wire  [7:0]   s_axi_arlen,
    input  wire  [2:0]   s_axi_arsize,
    input  wire  [1:0]   s_axi_arburst,
    output logic         s_axi_rvalid,
    input  wire          s_axi_rready,
    output logic [511:0] s_axi_rdata,
    output logic [1:0]   s_axi_rresp,
    output logic         s_axi_rlast
);

    logic [31:0] now;
    always_ff @(posedge clk) now <= rst ? '0 : now + 32'd1;

    sim_axi_read #(.PORT(PORT), .SPACE(SPACE), .OUTSTANDING(OUTSTANDING)) reads (
        .clk, .rst, .now,
        .arvalid(s_axi_arvalid), .arready(s_axi_arready), .araddr(s_axi_araddr), .arlen(s_axi_arlen),
        .rvalid(s_axi_rvalid), .rready(s_axi_rready), .rdata(s_axi_rdata), .rresp(s_axi_rresp), .rlast(s_axi_rlast)
    );

    sim_axi_write #(.PORT(PORT), .SPACE(SPACE), .OUTSTANDING(OUTSTANDING)) writes (
        .clk, .rst, .now,
        .awvalid(s_axi_awvalid), .awready(s_axi_awready), .awaddr(s_axi_awaddr), .awlen(s_axi_awlen),
        .wvalid(s_axi_wvalid), .wready(s_axi_wready), .wdata(s_axi_wdata), .wstrb(s_axi_wstrb),
        .bvalid(s_axi_bvalid), .bready(s_axi_bready), .bresp(s_axi_bresp)
    );

    if (CHECK) begin : checks
        sim_axi_checker #(.PORT(PORT)) checker_of_port (
            .clk, .rst,
            .awvalid(s_axi_awvalid), .awready(s_axi_awready), .awaddr(s_axi_awaddr), .awlen(s_axi_awlen),
            .awsize(s_axi_awsize), .awburst(s_axi_awburst),
            .wvalid(s_axi_wvalid), .wready(s_axi_wready), .wdata(s_axi_wdata), .wstrb(s_axi_wstrb), .wlast(s_axi_wlast),
            .bvalid(s_axi_bvalid), .bready(s_axi_bready), .bresp(s_axi_bresp),
            .arvalid(s_axi_arvalid), .arready(s_axi_arready), .araddr(s_axi_araddr), .arlen(s_axi_arlen),
            .arsize(s_axi_arsize), .arburst(s_axi_arburst),
            .rvalid(s_axi_rvalid), .rready(s_axi_rready), .rdata(s_axi_rdata), .rresp(s_axi_rresp), .rlast(s_axi_rlast)
        );
    end else begin : unchecked
        wire _unused = &{1'b0, s_axi_awsize, s_axi_awburst, s_axi_wlast, s_axi_arsize, s_axi_arburst};
    end

endmodule

`default_nettype wire
