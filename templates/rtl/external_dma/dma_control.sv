// AXI-Lite registers of a kernel with user-managed control that keeps its
// pointer arguments and does nothing with them. Words beyond WORDS read 0.
`default_nettype none

module dma_control #(
    parameter int unsigned ADDRESS_WIDTH = 16, // bits of a byte address
    parameter int unsigned WORDS         = 16  // a power of two
) (
    input  wire                      clk,
    input  wire                      rst,

    input  wire axilite_pkg::request_t control_request,
    output axilite_pkg::response_t control_response
);

    localparam int unsigned WORD = $clog2(WORDS);

    logic [32*WORDS-1:0]      registers;
    logic [ADDRESS_WIDTH-1:0] address;
    logic [31:0]              data;
    logic [3:0]               strobes;
    logic                     address_held, data_held;
    logic                     awready, wready, bvalid, arready, rvalid;
    logic [31:0]              rdata;

    assign awready = !address_held && !rst;
    assign wready  = !data_held && !rst;
    assign arready = !rvalid && !rst;

    assign control_response = {awready, wready, bvalid, 2'b00, arready, rvalid, rdata, 2'b00};

    always_ff @(posedge clk) begin
        if (control_request.awvalid && awready) address <= control_request.awaddr[ADDRESS_WIDTH-1:0];
        if (control_request.wvalid && wready) begin
            data    <= control_request.wdata;
            strobes <= control_request.wstrb;
        end
        if (control_request.arvalid && arready)
            rdata <= control_request.araddr[ADDRESS_WIDTH-1:WORD+2] == '0
                ? registers[32*control_request.araddr[WORD+1:2] +: 32] : '0;
        if (rst) begin
            registers    <= '0;
            address_held <= 1'b0;
            data_held    <= 1'b0;
            bvalid       <= 1'b0;
            rvalid       <= 1'b0;
        end else begin
            if (control_request.awvalid && awready) address_held <= 1'b1;
            if (control_request.wvalid && wready) data_held <= 1'b1;
            if (control_request.bready) bvalid <= 1'b0;
            if (address_held && data_held && (!bvalid || control_request.bready)) begin
                if (address[ADDRESS_WIDTH-1:WORD+2] == '0)
                    for (int unsigned i = 0; i < 4; i++)
                        if (strobes[i]) registers[32*address[WORD+1:2]+8*i +: 8] <= data[8*i +: 8];
                address_held <= 1'b0;
                data_held    <= 1'b0;
                bvalid       <= 1'b1;
            end
            if (control_request.rready) rvalid <= 1'b0;
            if (control_request.arvalid && arready) rvalid <= 1'b1;
        end
    end

    wire _unused = &{1'b0, address[1:0], control_request};

endmodule

`default_nettype wire
