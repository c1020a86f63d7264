// A platform for tests of the shell: words that the host reads and writes, memory,
// kernel streams that come back, and in place of an engine what answers every call
// after `count` cycles with its tag, and writes its count to the memory at address
// 0. A call whose operation is 255 halts it, 254 breaks an assertion.
`default_nettype none

module platform_top #(
    parameter int MILLISECOND_CYCLES = 1000,
    parameter int CONTROL            = 0
) (
    input wire clk,
    input wire rst
);

    localparam int WORDS = 2048;
    wire unused = &{
        1'b0, 32'(MILLISECOND_CYCLES), awaddr[15:13], awaddr[1:0], araddr[15:13], araddr[1:0], wstrb, krnl_keep,
        mem_rdata, mem_rresp, mem_rlast, mem_bresp, mem_arready, mem_rvalid, mem_awready,
        design_ack, design_ack_valid, design_call_ready
    };

    // Control port.
    logic        awvalid, wvalid, bvalid, bready, arvalid, rvalid, rready;
    logic [15:0] awaddr, araddr;
    logic [31:0] wdata, rdata;
    logic [3:0]  wstrb;
    logic [31:0] words [WORDS];
    string       firmware;
    initial if ($value$plusargs("firmware=%s", firmware)) $readmemh(firmware, words);

    sim_host_axil #(.ID(CONTROL)) control (
        .clk, .rst, .awvalid, .awready(1'b1), .awaddr,
        .wvalid, .wready(1'b1), .wdata, .wstrb, .bvalid, .bready, .bresp(2'b00),
        .arvalid, .arready(1'b1), .araddr, .rvalid, .rready, .rdata, .rresp(2'b00)
    );
    always_ff @(posedge clk) begin
        if (awvalid && wvalid) words[awaddr[12:2]] <= wdata;
        rdata <= words[araddr[12:2]];
        bvalid <= !rst && (awvalid || bvalid && !bready);
        rvalid <= !rst && (arvalid || rvalid && !rready);
    end

    // Calls.
    logic        call_valid, ack_valid, ack_ready, design_ack_valid, design_call_ready;
    logic [31:0] call, ack, design_ack;
    logic [3:0]  at;
    logic [31:0] scenario, left;
    logic        working, written, writing, addressing;

    sim_host_calls #(.ID(0)) calls (
        .clk, .rst, .design_call_tvalid(1'b0), .design_call_tready(design_call_ready), .design_call_tdata('0),
        .design_ack_tvalid(design_ack_valid), .design_ack_tready(1'b1), .design_ack_tdata(design_ack),
        .call_tvalid(call_valid), .call_tready(!working), .call_tdata(call),
        .ack_tvalid(ack_valid), .ack_tready(ack_ready), .ack_tdata(ack)
    );
    logic [31:0] tag, count;
    logic [63:0] address;
    always_ff @(posedge clk) begin
        if (rst) begin
            at <= '0;
            working <= 1'b0;
            ack_valid <= 1'b0;
            writing <= 1'b0;
            addressing <= 1'b0;
            written <= 1'b0;
        end else begin
            if (mem_awready) addressing <= 1'b0;
            if (mem_wready) writing <= 1'b0;
            if (call_valid && !working) begin
                at <= at + 4'd1;
                case (at)
                    4'd0: scenario <= call;
                    4'd1: count <= call;
                    4'd5: tag <= call;
                    4'd9: address[31:0] <= call;
                    4'd10: address[63:32] <= call;
                    4'd14: begin
                        at <= '0;
                        working <= 1'b1;
                        written <= 1'b0;
                        writing <= 1'b1;
                        addressing <= 1'b1;
                        left <= count;
                    end
                    default: ;
                endcase
            end
            if (mem_bvalid) written <= 1'b1;
            if (working && written) begin
                if (left != 0) left <= left - 1;
                else if (!ack_valid) begin
                    ack_valid <= 1'b1;
                    ack <= {tag[0], scenario[30:28], tag[27:0]};
                end
            end
            if (ack_valid && ack_ready) begin
                ack_valid <= 1'b0;
                working <= 1'b0;
            end
        end
    end
    always_ff @(posedge clk) if (working) assert (scenario[7:0] != 8'd254) else $error("the scenario is 254");

    // Memory.
    logic mem_awready, mem_wready, mem_bvalid, mem_arready, mem_rvalid, mem_rlast;
    logic [1:0] mem_bresp, mem_rresp;
    logic [511:0] mem_rdata;
    sim_axi_memory #(.PORT(0), .SPACE(0)) memory (
        .clk, .rst, .s_axi_awvalid(addressing), .s_axi_awready(mem_awready),
        .s_axi_awaddr(address), .s_axi_awlen(8'd0), .s_axi_awsize(3'd6), .s_axi_awburst(2'd1),
        .s_axi_wvalid(writing), .s_axi_wready(mem_wready),
        .s_axi_wdata(512'(count)), .s_axi_wstrb(64'hF), .s_axi_wlast(1'b1),
        .s_axi_bvalid(mem_bvalid), .s_axi_bready(1'b1), .s_axi_bresp(mem_bresp),
        .s_axi_arvalid(1'b0), .s_axi_arready(mem_arready), .s_axi_araddr('0),
        .s_axi_arlen('0), .s_axi_arsize('0), .s_axi_arburst('0),
        .s_axi_rvalid(mem_rvalid), .s_axi_rready(1'b1), .s_axi_rdata(mem_rdata),
        .s_axi_rresp(mem_rresp), .s_axi_rlast(mem_rlast)
    );

    // Kernel streams: what comes in goes out, with the next TDEST.
    logic         in_valid, in_ready, in_last;
    logic [511:0] in_data;
    logic [63:0]  krnl_keep;
    logic [7:0]   in_dest;
    sim_kernel_port #(.ID(0)) kernel (
        .clk, .rst, .s_axis_tvalid(in_valid), .s_axis_tready(in_ready),
        .s_axis_tdata(in_data), .s_axis_tkeep('1), .s_axis_tlast(in_last),
        .s_axis_tdest(in_dest + 8'd1),
        .m_axis_tvalid(in_valid), .m_axis_tready(in_ready),
        .m_axis_tdata(in_data), .m_axis_tkeep(krnl_keep), .m_axis_tlast(in_last),
        .m_axis_tdest(in_dest)
    );

    sim_host_probe #(.ID(0)) probe (
        .clk, .rst, .asleep(!working && at == '0 && !awvalid && !arvalid && !bvalid && !rvalid && !in_valid),
        .halted(working && scenario[7:0] == 8'd255), .halt_cause(32'd2), .halt_pc(32'd8),
        .trace_valid(ack_valid && ack_ready), .trace_word(tag), .issue_valid(1'b0), .issue('0)
    );

endmodule

`default_nettype wire
