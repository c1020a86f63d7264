// Writes memory through a DMA engine. Each command takes its bytes from a
// stream, from lane 0 on, and gives a code in the end. Beats are counted here.
//
// When the DMA engine does not answer within the limit, or when abandoned, all
// commands end with DMA_TIMEOUT and their data are dropped. The packets that the
// DMA engine still expects end at once, without further bytes, and its late
// answers are dropped. Further commands wait for that; where it does not answer
// within the limit they end with DMA_TIMEOUT at once.
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

    localparam int unsigned KEEP   = engine_pkg::KEEP_WIDTH;
    localparam int unsigned WIDTH  = engine_pkg::DATA_WIDTH;

    cclo_pkg::dma_command_t command;
    logic [3:0]        next_tag, status_tag;
    logic              take, jammed, give_up, owed, silent, waiting, late_waiting;
    logic              data_in_ready, data_valid, data_ready;
    logic [LENGTH-1:0] data_bytes, moved, left;
    logic              status_in_ready, status_valid;
    logic [LENGTH-1:0] status_bytes;
    logic [COUNT-1:0]  unanswered, data_count, status_count;
    logic [COUNT:0]    late_statuses;
    logic [31:0]       waited, code;
    logic              move, last_beat, status_take, late_status_take, drop_done, moved_one;
    logic [KEEP-1:0]   keep;
    logic              packet_valid, packet_host, packet_move, out_valid, out_ready, out_last;
    logic _unused_packet_room;
    logic [COUNT-1:0] _unused_packets;

    always_comb begin
        command = '0;
        command.bytes        = 23'(write_bytes);
        command.incrementing = 1'b1;
        command.eof          = 1'b1;
        command.address      = write_address;
        command.tag          = next_tag;
    end

    // While jammed, commands are taken only to end them at once.
    assign owed        = late_statuses != '0 || packet_valid || command_tvalid;
    assign write_ready = data_in_ready && status_in_ready && unanswered != COUNT'(DEPTH)
        && (jammed ? owed && silent : !command_tvalid && !give_up);
    assign take        = write_valid && write_ready;
    assign idle        = unanswered == '0;

    // The data of each command, in order.
    fifo #(.WIDTH(LENGTH), .DEPTH(DEPTH)) data_fifo (
        .clk, .rst, .clear(1'b0),
        .in_valid(take), .in_ready(data_in_ready), .in_data(write_bytes),
        .out_valid(data_valid), .out_ready(data_ready), .out_data(data_bytes), .count(data_count)
    );

    assign left      = data_bytes - moved;
    assign last_beat = left <= LENGTH'(BEAT);
    assign keep      = last_beat ? ~({KEEP{1'b1}} << left) | {KEEP{left == LENGTH'(BEAT)}} : '1;

    assign write_data_ready = data_valid && (jammed || out_ready);
    assign move             = write_data_valid && write_data_ready;
    assign data_ready       = move && last_beat;

    // The packets that the DMA engine expects.
    fifo #(.WIDTH(1), .DEPTH(DEPTH)) packets (
        .clk, .rst, .clear(1'b0),
        .in_valid(take && !jammed), .in_ready(_unused_packet_room), .in_data(write_host),
        .out_valid(packet_valid), .out_ready(packet_move && out_last), .out_data(packet_host), .count(_unused_packets)
    );

    assign out_valid   = jammed ? packet_valid : data_valid && write_data_valid;
    assign out_last    = jammed || last_beat;
    assign packet_move = out_valid && out_ready;

    skid_buffer #(.WIDTH(WIDTH + KEEP + 2)) stream_register (
        .clk, .rst,
        .in_valid(out_valid), .in_ready(out_ready),
        .in_data({packet_host, out_last, jammed ? KEEP'(0) : keep, write_data}),
        .out_valid(stream_tvalid), .out_ready(stream_tready),
        .out_data({stream_tdest[0], stream_tlast, stream_tkeep, stream_tdata})
    );
    assign stream_tdest[7:1] = '0;

    // Statuses, in order.
    fifo #(.WIDTH(LENGTH), .DEPTH(DEPTH)) status_fifo (
        .clk, .rst, .clear(1'b0),
        .in_valid(take), .in_ready(status_in_ready), .in_data(write_bytes),
        .out_valid(status_valid), .out_ready(write_done), .out_data(status_bytes), .count(status_count)
    );

    dma_status_check check (
        .status(status_tdata), .counted(1'b1), .expected_tag(status_tag), .expected_bytes(23'(status_bytes)), .code
    );

    // A status counts when all the data of its command have left. While jammed a
    // command is done when its data were dropped.
    assign drop_done        = jammed && moved_one;
    assign late_status_take = status_tvalid && jammed && late_statuses != '0;
    assign moved_one        = status_valid && data_count < status_count;
    assign status_take      = status_tvalid && !jammed && moved_one;
    assign status_tready    = jammed ? late_statuses != '0 : moved_one;
    assign write_done       = status_take || drop_done;
    assign write_code       = jammed ? cclo_pkg::RETURN_CODE_DMA_TIMEOUT : code;

    // Waiting for the data themselves is no fault of the DMA engine.
    assign waiting      = !jammed && unanswered != '0 && !status_take && !move && !(data_valid && !write_data_valid);
    assign late_waiting = jammed && owed && !late_status_take && !packet_move && !(command_tvalid && command_tready);
    assign give_up      = !jammed && unanswered != '0 && (abandon || silent);

    always_ff @(posedge clk) begin
        if (rst) begin
            command_tvalid <= 1'b0;
            next_tag       <= '0;
            status_tag     <= '0;
            moved          <= '0;
            unanswered     <= '0;
            late_statuses  <= '0;
            waited         <= '0;
            silent         <= 1'b0;
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
            if (!waiting && !late_waiting) waited <= '0;
            else if (waited < limit_cycles) waited <= waited + 1'b1;
            silent <= (waiting || late_waiting) && waited >= limit_cycles;

            if (give_up) begin
                jammed        <= 1'b1;
                late_statuses <= (COUNT+1)'(unanswered) - (COUNT+1)'(write_done);
            end
            if (late_status_take) late_statuses <= late_statuses - 1'b1;
            if (jammed && !owed && unanswered == '0) jammed <= 1'b0;
        end
        if (take && !jammed) begin
            command_tdata <= command;
            command_tdest <= 8'(write_host);
        end
    end

endmodule

`default_nettype wire
