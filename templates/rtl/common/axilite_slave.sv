// AXI4-Lite slave in front of a simple bus: one access at a time, held until
// ready, which comes with the data. Reads and writes take turns.
`default_nettype none

module axilite_slave #(
    parameter int unsigned ADDRESS_WIDTH = 12 // bits of a byte address
) (
    input  wire                      clk,
    input  wire                      rst,

    input  wire axilite_pkg::request_t control_request,
    output axilite_pkg::response_t control_response,

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
    logic                     awready, wready, bvalid, arready, rvalid;
    logic [31:0]              rdata;

    assign control_response = {awready, wready, bvalid, 2'b00, arready, rvalid, rdata, 2'b00};

    // The next access starts when the answer to the last one of its kind is gone.
    assign can_write = !awready && !wready && !bvalid;
    assign can_read  = !arready && !rvalid;

    assign bus_address = bus_write ? write_address : read_address;
    assign bus_wdata   = write_data;
    assign bus_strobe  = write_strobe;

    always_ff @(posedge clk) begin
        if (awready && control_request.awvalid) write_address <= control_request.awaddr[ADDRESS_WIDTH-1:0];
        if (wready && control_request.wvalid)
            {write_strobe, write_data} <= {control_request.wstrb, control_request.wdata};
        if (arready && control_request.arvalid) read_address <= control_request.araddr[ADDRESS_WIDTH-1:0];
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
            if (control_request.awvalid) awready <= 1'b0;
            if (control_request.wvalid) wready <= 1'b0;
            if (control_request.arvalid) arready <= 1'b0;
            if (control_request.bready) bvalid <= 1'b0;
            if (control_request.rready) rvalid <= 1'b0;

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

    wire _unused = &{1'b0, control_request};

endmodule

`default_nettype wire
