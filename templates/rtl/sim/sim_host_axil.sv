// The simulation's host at an AXI4-Lite slave: one access at a time. A write sends
// address and data in the same cycle.
`default_nettype none

module sim_host_axil #(
    parameter int ID            = 0, // number of the port in the simulation
    parameter int ADDRESS_WIDTH = 16 // bits of a byte address
) (
    input  wire                      clk,
    input  wire                      rst,

    output logic                     awvalid,
    input  wire                      awready,
    output logic [ADDRESS_WIDTH-1:0] awaddr,
    output logic                     wvalid,
    input  wire                      wready,
    output logic [31:0]              wdata,
    output logic [3:0]               wstrb,
    input  wire                      bvalid,
    output logic                     bready,
    input  wire  [1:0]               bresp,
    output logic                     arvalid,
    input  wire                      arready,
    output logic [ADDRESS_WIDTH-1:0] araddr,
    input  wire                      rvalid,
    output logic                     rready,
    input  wire  [31:0]              rdata,
    input  wire  [1:0]               rresp
);

    // The next access, if there is one.
    import "DPI-C" function void sim_axil_next(input int id, output bit read, output bit write,
                                               output int unsigned address, output int unsigned data);
    import "DPI-C" function void sim_axil_done(input int id, input int unsigned data, input int response);

    bit          read, write;
    int unsigned address, data;
    logic        busy;
    wire         unused = &{1'b0, address};

    assign bready = 1'b1;
    assign rready = 1'b1;
    assign wstrb  = '1;

    always_ff @(posedge clk) begin
        if (rst) begin
            awvalid <= 1'b0;
            wvalid  <= 1'b0;
            arvalid <= 1'b0;
            busy    <= 1'b0;
        end else begin
            if (awready) awvalid <= 1'b0;
            if (wready) wvalid <= 1'b0;
            if (arready) arvalid <= 1'b0;
            if (busy) begin
                if (bvalid) begin
                    sim_axil_done(ID, 0, 32'(bresp));
                    busy <= 1'b0;
                end
                if (rvalid) begin
                    sim_axil_done(ID, rdata, 32'(rresp));
                    busy <= 1'b0;
                end
            end else begin
                sim_axil_next(ID, read, write, address, data);
                busy    <= read || write;
                awvalid <= write;
                wvalid  <= write;
                arvalid <= read;
                awaddr  <= ADDRESS_WIDTH'(address);
                araddr  <= ADDRESS_WIDTH'(address);
                wdata   <= data;
            end
        end
    end

endmodule

`default_nettype wire
