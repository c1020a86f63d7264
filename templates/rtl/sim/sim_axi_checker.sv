// Watches an AXI4 port, 64 bytes wide, and reports what breaks a rule: payload or
// valid that change while they wait, bursts across 4 KiB or not of full beats, a
// WLAST at the wrong beat, data or responses that nobody asked for.
`default_nettype none

module sim_axi_checker #(
    parameter int PORT = 0 // its number in the simulation
) (
    input wire         clk,
    input wire         rst,

    input wire         awvalid,
    input wire         awready,
    input wire [63:0]  awaddr,
    input wire [7:0]   awlen,
    input wire [2:0]   awsize,
    input wire [1:0]   awburst,
    input wire         wvalid,
    input wire         wready,
    input wire [511:0] wdata,
    input wire [63:0]  wstrb,
    input wire         wlast,
    input wire         bvalid,
    input wire         bready,
    input wire [1:0]   bresp,
    input wire         arvalid,
    input wire         arready,
    input wire [63:0]  araddr,
    input wire [7:0]   arlen,
    input wire [2:0]   arsize,
    input wire [1:0]   arburst,
    input wire         rvalid,
    input wire         rready,
    input wire [511:0] rdata,
    input wire [1:0]   rresp,
    input wire         rlast
);

    import "DPI-C" function void sim_axi_violation(input int port, input string rule);

    localparam int BURSTS = 256;    // more than any port has outstanding

    // What waited in the last cycle.
    logic         aw_waits, w_waits, b_waits, ar_waits, r_waits, was_reset;
    logic [76:0]  aw_before, ar_before, aw, ar;
    logic [576:0] w_before, w;
    logic [1:0]   b_before;
    logic [514:0] r_before, r;

    assign aw = {awaddr, awlen, awsize, awburst};
    assign ar = {araddr, arlen, arsize, arburst};
    assign w  = {wdata, wstrb, wlast};
    assign r  = {rdata, rresp, rlast};

    always_ff @(posedge clk) begin
        was_reset <= rst;
        aw_waits  <= awvalid && !awready;
        w_waits   <= wvalid && !wready;
        b_waits   <= bvalid && !bready;
        ar_waits  <= arvalid && !arready;
        r_waits   <= rvalid && !rready;
        if (awvalid) aw_before <= aw;
        if (wvalid) w_before <= w;
        if (bvalid) b_before <= bresp;
        if (arvalid) ar_before <= ar;
        if (rvalid) r_before <= r;
        if (!rst && !was_reset) begin
            if (aw_waits && (!awvalid || aw != aw_before)) sim_axi_violation(PORT, "AW changes while it waits");
            if (w_waits && (!wvalid || w != w_before)) sim_axi_violation(PORT, "W changes while it waits");
            if (b_waits && (!bvalid || bresp != b_before)) sim_axi_violation(PORT, "B changes while it waits");
            if (ar_waits && (!arvalid || ar != ar_before)) sim_axi_violation(PORT, "AR changes while it waits");
            if (r_waits && (!rvalid || r != r_before)) sim_axi_violation(PORT, "R changes while it waits");
        end
    end

    // The shape of bursts.
    function crosses(input [5:0] line, input [7:0] length);
        crosses = 9'(line) + 9'(length) > 9'd63;
    endfunction

    always_ff @(posedge clk) begin
        if (!rst && awvalid) begin
            if (crosses(awaddr[11:6], awlen)) sim_axi_violation(PORT, "a write burst crosses 4 KiB");
            if (awsize != 3'd6 || awburst != 2'b01)
                sim_axi_violation(PORT, "a write burst is not of full incrementing beats");
        end
        if (!rst && arvalid) begin
            if (crosses(araddr[11:6], arlen)) sim_axi_violation(PORT, "a read burst crosses 4 KiB");
            if (arsize != 3'd6 || arburst != 2'b01)
                sim_axi_violation(PORT, "a read burst is not of full incrementing beats");
        end
    end

    // Data and responses against the addresses.
    logic [7:0] write_lengths [BURSTS];
    logic [7:0] read_lengths [BURSTS];
    logic [7:0] write_tail, write_head, read_tail, read_head, write_beat, read_beat;
    logic [8:0] answers_due;
    logic       w_taken, r_taken, b_taken, w_final;

    assign w_taken = wvalid && wready;
    assign r_taken = rvalid && rready;
    assign b_taken = bvalid && bready;
    assign w_final = w_taken && wlast;

    always_ff @(posedge clk) begin
        if (rst) begin
            write_tail  <= '0;
            write_head  <= '0;
            read_tail   <= '0;
            read_head   <= '0;
            write_beat  <= '0;
            read_beat   <= '0;
            answers_due <= '0;
        end else begin
            if (awvalid && awready) begin
                write_lengths[write_tail] <= awlen;
                write_tail                <= write_tail + 8'd1;
            end
            if (arvalid && arready) begin
                read_lengths[read_tail] <= arlen;
                read_tail               <= read_tail + 8'd1;
            end
            if (w_taken) begin
                if (write_head == write_tail) sim_axi_violation(PORT, "write data without an address");
                else if (wlast != (write_beat == write_lengths[write_head]))
                    sim_axi_violation(PORT, "WLAST is at the wrong beat");
                write_beat <= wlast ? '0 : write_beat + 8'd1;
                if (wlast) write_head <= write_head + 8'd1;
            end
            if (r_taken) begin
                if (read_head == read_tail) sim_axi_violation(PORT, "read data without an address");
                else if (rlast != (read_beat == read_lengths[read_head]))
                    sim_axi_violation(PORT, "RLAST is at the wrong beat");
                read_beat <= rlast ? '0 : read_beat + 8'd1;
                if (rlast) read_head <= read_head + 8'd1;
            end
            if (b_taken && answers_due == '0) sim_axi_violation(PORT, "a response without a write");
            answers_due <= answers_due + 9'(w_final) - 9'(b_taken);
        end
    end

    wire _unused = &{1'b0, awaddr[5:0], araddr[5:0]};

endmodule

`default_nettype wire
