// AXI-Lite registers of a kernel with user-managed control that keeps its
// pointer arguments and does nothing with them. Words beyond WORDS read 0.
`default_nettype none

module dma_control #(
    parameter int unsigned ADDRESS_WIDTH = 16,
    parameter int unsigned WORDS         = 16     // a power of two
) (
    input  wire                      clk,
    input  wire                      rst,

    input  wire                      awvalid,
    output logic                     awready,
    input  wire  [ADDRESS_WIDTH-1:0] awaddr,
    input  wire                      wvalid,
    output logic                     wready,
    input  wire  [31:0]              wdata,
    input  wire  [3:0]               wstrb,
    output logic                     bvalid,
    input  wire                      bready,
    output logic [1:0]               bresp,

    input  wire                      arvalid,
    output logic                     arready,
    input  wire  [ADDRESS_WIDTH-1:0] araddr,
    output logic                     rvalid,
    input  wire                      rready,
    output logic [31:0]              rdata,
    output logic [1:0]               rresp
);

    localparam int unsigned WORD = $clog2(WORDS);

    logic [32*WORDS-1:0]      registers;
    logic [ADDRESS_WIDTH-1:0] address;
    logic [31:0]              data;
    logic [3:0]               strobes;
    logic                     address_held, data_held;

    assign awready = !address_held && !rst;
    assign wready  = !data_held && !rst;
    assign arready = !rvalid && !rst;
    assign bresp   = 2'b00;
    assign rresp   = 2'b00;

    always_ff @(posedge clk) begin
        if (awvalid && awready) address <= awaddr;
        if (wvalid && wready) begin
            data    <= wdata;
            strobes <= wstrb;
        end
        if (arvalid && arready)
            rdata <= araddr[ADDRESS_WIDTH-1:WORD+2] == '0 ? registers[32*araddr[WORD+1:2] +: 32] : '0;
        if (rst) begin
            registers    <= '0;
            address_held <= 1'b0;
            data_held    <= 1'b0;
            bvalid       <= 1'b0;
            rvalid       <= 1'b0;
        end else begin
            if (awvalid && awready) address_held <= 1'b1;
            if (wvalid && wready) data_held <= 1'b1;
            if (bready) bvalid <= 1'b0;
            if (address_held && data_held && (!bvalid || bready)) begin
                if (address[ADDRESS_WIDTH-1:WORD+2] == '0)
                    for (int unsigned i = 0; i < 4; i++)
                        if (strobes[i]) registers[32*address[WORD+1:2]+8*i +: 8] <= data[8*i +: 8];
                address_held <= 1'b0;
                data_held    <= 1'b0;
                bvalid       <= 1'b1;
            end
            if (rready) rvalid <= 1'b0;
            if (arvalid && arready) rvalid <= 1'b1;
        end
    end

    wire _unused = &{1'b0, address[1:0], araddr[1:0]};

endmodule

`default_nettype wire
