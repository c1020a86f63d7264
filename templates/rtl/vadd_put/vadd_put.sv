// Kernel: an example of a user kernel that calls the engine itself. It reads count
// float32 from src, adds 1 to each and puts them to the kernel stream of another
// rank; it writes the count elements that another rank puts to this one to dst.
// It ends when its call is answered and its memory is written. If the call fails
// it does not wait for data: the rest of dst becomes 0. What the engine has not
// taken of the put is discarded, but for the beats that stand at the port.
`default_nettype none

module vadd_put (
    input  wire          ap_clk,
    input  wire          ap_rst_n,

    input  wire          s_axi_control_awvalid,
    output logic         s_axi_control_awready,
    input  wire  [11:0]  s_axi_control_awaddr,
    input  wire          s_axi_control_wvalid,
    output logic         s_axi_control_wready,
    input  wire  [31:0]  s_axi_control_wdata,
    input  wire  [3:0]   s_axi_control_wstrb,
    output logic         s_axi_control_bvalid,
    input  wire          s_axi_control_bready,
    output logic [1:0]   s_axi_control_bresp,
    input  wire          s_axi_control_arvalid,
    output logic         s_axi_control_arready,
    input  wire  [11:0]  s_axi_control_araddr,
    output logic         s_axi_control_rvalid,
    input  wire          s_axi_control_rready,
    output logic [31:0]  s_axi_control_rdata,
    output logic [1:0]   s_axi_control_rresp,

    output logic         m_axi_gmem_awvalid,
    input  wire          m_axi_gmem_awready,
    output logic [63:0]  m_axi_gmem_awaddr,
    output logic [7:0]   m_axi_gmem_awlen,
    output logic [2:0]   m_axi_gmem_awsize,
    output logic [1:0]   m_axi_gmem_awburst,
    output logic         m_axi_gmem_wvalid,
    input  wire          m_axi_gmem_wready,
    output logic [511:0] m_axi_gmem_wdata,
    output logic [63:0]  m_axi_gmem_wstrb,
    output logic         m_axi_gmem_wlast,
    input  wire          m_axi_gmem_bvalid,
    output logic         m_axi_gmem_bready,
    input  wire  [1:0]   m_axi_gmem_bresp,
    output logic         m_axi_gmem_arvalid,
    input  wire          m_axi_gmem_arready,
    output logic [63:0]  m_axi_gmem_araddr,
    output logic [7:0]   m_axi_gmem_arlen,
    output logic [2:0]   m_axi_gmem_arsize,
    output logic [1:0]   m_axi_gmem_arburst,
    input  wire          m_axi_gmem_rvalid,
    output logic         m_axi_gmem_rready,
    input  wire  [511:0] m_axi_gmem_rdata,
    input  wire  [1:0]   m_axi_gmem_rresp,
    input  wire          m_axi_gmem_rlast,

    output logic         cmd_to_cclo_tvalid,
    input  wire          cmd_to_cclo_tready,
    output logic [31:0]  cmd_to_cclo_tdata,
    output logic [3:0]   cmd_to_cclo_tkeep,
    output logic         cmd_to_cclo_tlast,

    input  wire          sts_from_cclo_tvalid,
    output logic         sts_from_cclo_tready,
    input  wire  [31:0]  sts_from_cclo_tdata,
    input  wire  [3:0]   sts_from_cclo_tkeep,
    input  wire          sts_from_cclo_tlast,

    output logic         data_to_cclo_tvalid,
    input  wire          data_to_cclo_tready,
    output logic [511:0] data_to_cclo_tdata,
    output logic [63:0]  data_to_cclo_tkeep,
    output logic         data_to_cclo_tlast,
    output logic [7:0]   data_to_cclo_tdest,

    input  wire          data_from_cclo_tvalid,
    output logic         data_from_cclo_tready,
    input  wire  [511:0] data_from_cclo_tdata,
    input  wire  [63:0]  data_from_cclo_tkeep,
    input  wire          data_from_cclo_tlast,
    input  wire  [7:0]   data_from_cclo_tdest
);

    logic rst;
    always_ff @(posedge ap_clk) rst <= !ap_rst_n;

    // Control.
    logic        asked, running, launch, ends;
    logic        calling, reading, writing, call_failed, abandon;
    logic [63:0] src, dst;
    logic [31:0] count, destination, comm_adr, dpcfg_adr;
    logic        nothing;
    logic [32:0] bytes;

    assign nothing = count[31] || count == 0; // an int
    assign bytes   = {count[30:0], 2'd0};
    assign launch  = asked && !running && !ends && !nothing;
    assign abandon = running && !calling && call_failed;

    always_ff @(posedge ap_clk)
        if (rst) begin
            running <= 1'b0;
            ends    <= 1'b0;
        end else begin
            ends <= !ends && (running ? !calling && !reading && !writing : asked && nothing);
            if (launch) running <= 1'b1;
            else if (ends) running <= 1'b0;
        end

    axilite_pkg::request_t  control_request;
    axilite_pkg::response_t control_response;

    axilite_port #(.ADDRESS_WIDTH(12)) control_port (.*);

    vadd_put_registers registers (
        .clk(ap_clk), .rst, .control_request, .control_response,
        .start(asked), .taken(ends), .done(ends), .idle(!running),
        .src, .dst, .count, .destination, .comm_adr, .dpcfg_adr
    );

    vadd_put_call call (
        .clk(ap_clk), .rst,
        .start(launch), .count, .destination, .comm_adr, .dpcfg_adr, .busy(calling), .failed(call_failed),
        .call_valid(cmd_to_cclo_tvalid), .call_ready(cmd_to_cclo_tready),
        .call_data(cmd_to_cclo_tdata), .call_last(cmd_to_cclo_tlast),
        .answer_valid(sts_from_cclo_tvalid), .answer_ready(sts_from_cclo_tready), .answer_data(sts_from_cclo_tdata)
    );

    assign cmd_to_cclo_tkeep = '1;

    // From memory to the engine.
    logic                                   read_command_valid, read_command_ready, read_status_valid;
    logic [cclo_pkg::DMA_COMMAND_WIDTH-1:0] read_command;
    logic                                   read_valid, read_ready, read_last;
    logic [511:0]                           read_data;
    logic [63:0]                            read_keep;

    vadd_put_commands reads (
        .clk(ap_clk), .rst, .start(launch), .address(src), .bytes, .busy(reading),
        .command_valid(read_command_valid), .command_ready(read_command_ready), .command_data(read_command),
        .status_valid(read_status_valid)
    );

    logic [7:0] _unused_read_status;
    logic       _unused_read_memory;
    dma_read reader (
        .clk(ap_clk), .rst,
        .command_valid(read_command_valid), .command_ready(read_command_ready),
        .command_data(read_command), .command_memory('0),
        .stream_valid(read_valid), .stream_ready(read_ready),
        .stream_data(read_data), .stream_keep(read_keep), .stream_last(read_last),
        .status_valid(read_status_valid), .status_ready(1'b1), .status_data(_unused_read_status),
        .ar_valid(m_axi_gmem_arvalid), .ar_ready(m_axi_gmem_arready),
        .ar_address(m_axi_gmem_araddr), .ar_length(m_axi_gmem_arlen),
        .ar_memory(_unused_read_memory),
        .r_valid(m_axi_gmem_rvalid), .r_ready(m_axi_gmem_rready), .r_data(m_axi_gmem_rdata),
        .r_response(m_axi_gmem_rresp)
    );

    assign m_axi_gmem_arsize  = 3'd6;  // 64 bytes
    assign m_axi_gmem_arburst = 2'b01; // incrementing

    vadd_put_adder adder (
        .clk(ap_clk), .rst, .discard(abandon),
        .in_valid(read_valid), .in_ready(read_ready), .in_data(read_data), .in_keep(read_keep), .in_last(read_last),
        .out_valid(data_to_cclo_tvalid), .out_ready(data_to_cclo_tready), .out_data(data_to_cclo_tdata),
        .out_keep(data_to_cclo_tkeep), .out_last(data_to_cclo_tlast)
    );

    assign data_to_cclo_tdest = '0;

    // From the engine to memory: as many beats as the elements fill, whatever
    // their TLAST.
    logic                                   write_command_valid, write_command_ready, write_status_valid;
    logic [cclo_pkg::DMA_COMMAND_WIDTH-1:0] write_command;
    logic                                   write_valid, write_ready;
    logic [26:0]                            beats_left;

    assign write_valid           = beats_left != 0 && (data_from_cclo_tvalid || abandon);
    assign data_from_cclo_tready = beats_left != 0 && write_ready && !abandon;

    always_ff @(posedge ap_clk)
        if (rst) beats_left <= '0;
        else if (launch) beats_left <= 27'((count + 32'd15) >> 4);
        else if (write_valid && write_ready) beats_left <= beats_left - 1'b1;

    vadd_put_commands writes (
        .clk(ap_clk), .rst, .start(launch), .address(dst), .bytes, .busy(writing),
        .command_valid(write_command_valid), .command_ready(write_command_ready), .command_data(write_command),
        .status_valid(write_status_valid)
    );

    logic [cclo_pkg::DMA_STATUS_WIDTH-1:0] _unused_write_status;
    logic                                  _unused_write_memory;
    dma_write writer (
        .clk(ap_clk), .rst,
        .command_valid(write_command_valid), .command_ready(write_command_ready),
        .command_data(write_command), .command_memory('0),
        .stream_valid(write_valid), .stream_ready(write_ready), .stream_data(abandon ? '0 : data_from_cclo_tdata),
        .stream_keep('1), .stream_last(1'b0),
        .status_valid(write_status_valid), .status_ready(1'b1), .status_data(_unused_write_status),
        .aw_valid(m_axi_gmem_awvalid), .aw_ready(m_axi_gmem_awready),
        .aw_address(m_axi_gmem_awaddr), .aw_length(m_axi_gmem_awlen),
        .aw_memory(_unused_write_memory),
        .w_valid(m_axi_gmem_wvalid), .w_ready(m_axi_gmem_wready),
        .w_data(m_axi_gmem_wdata), .w_strobes(m_axi_gmem_wstrb),
        .w_last(m_axi_gmem_wlast),
        .b_valid(m_axi_gmem_bvalid), .b_ready(m_axi_gmem_bready), .b_response(m_axi_gmem_bresp)
    );

    assign m_axi_gmem_awsize  = 3'd6;
    assign m_axi_gmem_awburst = 2'b01;

    wire _unused = &{
        1'b0, m_axi_gmem_rlast, sts_from_cclo_tkeep, sts_from_cclo_tlast,
        data_from_cclo_tkeep, data_from_cclo_tlast, data_from_cclo_tdest
    };

endmodule

`default_nettype wire
