// Writes memory through a DMA engine. Each command takes its bytes from a
// stream, from lane 0 on, and gives a code in the end. Beats are counted here.
//
// When the DMA engine does not answer within the limit, or when abandoned, all
// commands end with DMA_TIMEOUT and their data are dropped, and so are further
// ones until the DMA engine has had filler for what it was still owed and has
// answered.
`default_nettype none

module dma_writer #(
    parameter int unsigned DEPTH = 8 // commands at a time
) (
    input  wire          clk,
    input  wire          rst,
    input  wire  [31:0]  limit_cycles,
    input  wire          abandon,      // a pulse: give up what is under way
    output logic         idle,

    input  wire          write_valid,
    output logic         write_ready,
    input  wire  [63:0]  write_address,
    input  wire          write_host,
    input  wire  [engine_pkg::LENGTH_WIDTH-1:0] write_bytes, // not 0

    input  wire          write_data_valid,
    output logic         write_data_ready,
    input  wire  [engine_pkg::DATA_WIDTH-1:0] write_data,

    output logic         write_done,   // in the order of the commands
    output logic [31:0]  write_code,

    output logic         command_tvalid,
    input  wire          command_tready,
    output logic [103:0] command_tdata,
    output logic [7:0]   command_tdest,

    input  wire          status_tvalid,
    output logic         status_tready,
    input  wire  [31:0]  status_tdata,

    output logic         stream_tvalid,
    input  wire          stream_tready,
    output logic [engine_pkg::DATA_WIDTH-1:0] stream_tdata,
    output logic [engine_pkg::KEEP_WIDTH-1:0] stream_tkeep,
    output logic         stream_tlast,
    output logic [7:0]   stream_tdest
);

    localparam int unsigned LENGTH = engine_pkg::LENGTH_WIDTH;
    localparam int unsigned COUNT  = $clog2(DEPTH + 1);
    localparam int unsigned BEAT   = cclo_pkg::BEAT_BYTES;

    cclo_pkg::dma_command_t command;
    logic [3:0]        next_tag, status_tag;
    logic              take, jammed, give_up, filling;
    logic              data_in_ready, data_valid, data_ready, data_host;
    logic [LENGTH-1:0] data_bytes, moved, left;
    logic              status_in_ready, status_valid;
    logic [LENGTH-1:0] status_bytes;
    logic [COUNT-1:0]  unanswered, data_count, status_count;
    logic [COUNT:0]    late_statuses;
    logic [LENGTH-1:0] fill_left;     // bytes that the present packet is still owed
    logic [COUNT:0]    fill_packets;  // further packets that are owed, of one beat
    logic [31:0]       waited, code;
    logic              move, last_beat, status_take, late_status_take, drop_done, fill_move;
    logic [KEEP-1:0]   keep;

    localparam int unsigned KEEP = engine_pkg::KEEP_WIDTH;

    always_comb begin
        command = '0;
        command.bytes        = 23'(write_bytes);
        command.incrementing = 1'b1;
        command.eof          = 1'b1;
        command.address      = write_address;
        command.tag          = next_tag;
    end

    assign write_ready = data_in_ready && status_in_ready && unanswered != COUNT'(DEPTH) && (jammed || !command_tvalid || command_tready) && !give_up;
    assign take        = write_valid && write_ready;
    assign idle        = unanswered == '0;

    // What the data of each command are, in order.
    fifo #(.WIDTH(LENGTH + 1), .DEPTH(DEPTH)) data_fifo (
        .clk, .rst, .clear(1'b0),
        .in_valid(take), .in_ready(data_in_ready), .in_data({write_host, write_bytes}),
        .out_valid(data_valid), .out_ready(data_ready), .out_data({data_host, data_bytes}), .count(data_count)
    );

    assign left      = data_bytes - moved;
    assign last_beat = left <= LENGTH'(BEAT);
    assign keep      = last_beat ? ~({KEEP{1'b1}} << left) | {KEEP{left == LENGTH'(BEAT)}} : '1;

    assign write_data_ready = data_valid && (jammed || stream_tready);
    assign move             = write_data_valid && write_data_ready;
    assign data_ready       = move && last_beat;

    // While jammed the DMA engine gets filler: nothing of it is kept.
    assign filling       = fill_left != '0;
    assign fill_move     = filling && stream_tready;
    assign stream_tvalid = jammed ? filling : data_valid && write_data_valid;
    assign stream_tdata  = jammed ? '0 : write_data;
    assign stream_tkeep  = jammed ? '0 : keep;
    assign stream_tlast  = jammed ? fill_left <= LENGTH'(BEAT) : last_beat;
    assign stream_tdest  = 8'(data_host);

    // Statuses, in order.
    fifo #(.WIDTH(LENGTH), .DEPTH(DEPTH)) status_fifo (
        .clk, .rst, .clear(1'b0),
        .in_valid(take), .in_ready(status_in_ready), .in_data(write_bytes),
        .out_valid(status_valid), .out_ready(write_done), .out_data(status_bytes), .count(status_count)
    );

    dma_status_check check (
        .status(status_tdata), .counted(1'b1), .expected_tag(status_tag), .expected_bytes(23'(status_bytes)), .code
    );

    // While jammed a command is done when its data were dropped.
    assign drop_done        = jammed && status_valid && data_count < status_count;
    assign late_status_take = status_tvalid && late_statuses != '0;
    assign status_take      = status_tvalid && !jammed && late_statuses == '0 && status_valid;
    assign status_tready    = late_statuses != '0 || (!jammed && status_valid);
    assign write_done       = status_take || drop_done;
    assign write_code       = jammed ? cclo_pkg::RETURN_CODE_DMA_TIMEOUT : code;

    assign give_up = !jammed && unanswered != '0 && (abandon || waited >= limit_cycles);

    always_ff @(posedge clk) begin
        if (rst) begin
            command_tvalid <= 1'b0;
            next_tag       <= '0;
            status_tag     <= '0;
            moved          <= '0;
            unanswered     <= '0;
            late_statuses  <= '0;
            fill_left      <= '0;
            fill_packets   <= '0;
            waited         <= '0;
            jammed         <= 1'b0;
        end else begin
            if (command_tready) command_tvalid <= 1'b0;
            if (take && !jammed) begin
                command_tvalid <= 1'b1;
                next_tag       <= next_tag + 1'b1;
            end
            unanswered <= unanswered + COUNT'(take) - COUNT'(write_done);
            if (status_tvalid && status_tready) status_tag <= status_tag + 1'b1;
            if (move) moved <= last_beat ? '0 : moved + LENGTH'(BEAT);
            // Waiting for the data themselves is no fault of the DMA engine.
            waited <= unanswered == '0 || jammed || status_take || move || data_valid && !write_data_valid ? '0 : waited + 1'b1;

            if (give_up) begin
                jammed        <= 1'b1;
                late_statuses <= (COUNT+1)'(unanswered) - (COUNT+1)'(write_done);
                // Whole packets end early: one beat of filler each.
                fill_left     <= data_valid && !data_ready ? LENGTH'(1) : data_count > 1 ? LENGTH'(1) : '0;
                fill_packets  <= (COUNT+1)'(data_count) - (COUNT+1)'(data_ready) - (COUNT+1)'(data_count > COUNT'(data_ready));
            end else if (fill_move) begin
                fill_left <= fill_packets != '0 ? LENGTH'(1) : '0;
                if (fill_packets != '0) fill_packets <= fill_packets - 1'b1;
            end
            if (late_status_take) late_statuses <= late_statuses - 1'b1;
            if (jammed && late_statuses == '0 && !filling && unanswered == '0 && !command_tvalid) jammed <= 1'b0;
        end
        if (take && !jammed) begin
            command_tdata <= command;
            command_tdest <= 8'(write_host);
        end
    end

endmodule

`default_nettype wire
