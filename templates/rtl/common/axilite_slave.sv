// AXI4-Lite slave in front of a simple bus: one access at a time, held until
// ready, which comes with the data. Reads and writes take turns.
`default_nettype none

module axilite_slave #(
    parameter int unsigned ADDRESS_WIDTH = 12
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
    output logic [1:0]               rresp,

    output logic                     bus_valid,
    output logic                     bus_write,
    output logic [ADDRESS_WIDTH-1:0] bus_address,
    output logic [31:0]              bus_wdata,
    output logic [3:0]               bus_strobe,
    input  wire                      bus_ready,
    input  wire  [31:0]              bus_rdata
);

    logic [ADDRESS_WIDTH-1:0] write_address, read_address;
    logic [31:0]              write_data;
    logic [3:0]               write_strobe;
    logic                     can_write, can_read;

    assign bresp = 2'b00;
    assign rresp = 2'b00;

    // The next access starts when the answer to the last one of its kind is gone.
    assign can_write = !awready && !wready && !bvalid;
    assign can_read  = !arready && !rvalid;

    assign bus_address = bus_write ? write_address : read_address;
    assign bus_wdata   = write_data;
    assign bus_strobe  = write_strobe;

    always_ff @(posedge clk) begin
        if (awready && awvalid) write_address <= awaddr;
        if (wready && wvalid) {write_strobe, write_data} <= {wstrb, wdata};
        if (arready && arvalid) read_address <= araddr;
        if (bus_valid && bus_ready && !bus_write) rdata <= bus_rdata;

        if (rst) begin
            awready   <= 1'b1;
            wready    <= 1'b1;
            arready   <= 1'b1;
            bvalid    <= 1'b0;
            rvalid    <= 1'b0;
            bus_valid <= 1'b0;
            bus_write <= 1'b0;
        end else begin
            if (awvalid) awready <= 1'b0;
            if (wvalid) wready <= 1'b0;
            if (arvalid) arready <= 1'b0;
            if (bready) bvalid <= 1'b0;
            if (rready) rvalid <= 1'b0;

            if (bus_valid) begin
                if (bus_ready) begin
                    bus_valid <= 1'b0;
                    if (bus_write) begin
                        bvalid  <= 1'b1;
                        awready <= 1'b1;
                        wready  <= 1'b1;
                    end else begin
                        rvalid  <= 1'b1;
                        arready <= 1'b1;
                    end
                end
            end else if (can_write && !(can_read && bus_write)) begin
                bus_valid <= 1'b1;
                bus_write <= 1'b1;
            end else if (can_read) begin
                bus_valid <= 1'b1;
                bus_write <= 1'b0;
            end
        end
    end

endmodule

`default_nettype wire
