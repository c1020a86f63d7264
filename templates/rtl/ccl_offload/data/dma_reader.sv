// Reads memory through a DMA engine. Each command gives its bytes as beats from
// lane 0 on, and then its code. Beats are counted here, so that the stream stays
// in step whatever the DMA engine does.
//
// When the DMA engine does not answer within the limit, or when abandoned, all
// commands end with zeros and DMA_TIMEOUT, and what is late is dropped. Further
// commands wait until all of it has come; where nothing comes within the limit
// they end with DMA_TIMEOUT at once.
`default_nettype none

module dma_reader #(
    parameter int unsigned DEPTH = 8 // commands at a time
) (
    input  wire          clk,
    input  wire          rst,
    input  wire  [31:0]  limit_cycles,
    input  wire          abandon,      // a pulse: give up what is under way
    output logic         idle,

    input  wire          read_valid,
    output logic         read_ready,
    input  wire  [63:0]  read_address,
    input  wire          read_host,
    input  wire  [engine_pkg::LENGTH_WIDTH-1:0] read_bytes, // not 0

    output logic         data_valid,
    input  wire          data_ready,
    output logic [engine_pkg::DATA_WIDTH-1:0] data,
    output logic         data_last,

    output logic         done_valid,   // in the order of the commands
    output logic [31:0]  done_code,

    output logic         command_tvalid,
    input  wire          command_tready,
    output logic [103:0] command_tdata,
    output logic [7:0]   command_tdest,

    input  wire          status_tvalid,
    output logic         status_tready,
    input  wire  [7:0]   status_tdata,

    input  wire          stream_tvalid,
    output logic         stream_tready,
    input  wire  [engine_pkg::DATA_WIDTH-1:0] stream_tdata,
    input  wire          stream_tlast
);

    localparam int unsigned LENGTH = engine_pkg::LENGTH_WIDTH;
    localparam int unsigned BEATS  = LENGTH - 6;
    localparam int unsigned COUNT  = $clog2(DEPTH + 1);

    cclo_pkg::dma_command_t command;
    logic [BEATS-1:0]       read_beats;

    assign read_beats = BEATS'((32'(read_bytes) + 32'(cclo_pkg::BEAT_BYTES - 1)) >> 6);

    always_comb begin
        command = '0;
        command.bytes        = 23'(read_bytes);
        command.incrementing = 1'b1;
        command.eof          = 1'b1;
        command.address      = read_address;
        command.tag          = next_tag;
    end

    // Commands, beats that are still to be delivered, and statuses that are
    // still to come, each in order.
    logic [3:0]        next_tag, status_tag;
    logic              take, jammed, give_up;
    logic              beats_in_ready, beats_valid, beats_ready;
    logic [BEATS-1:0]  beats, beat;
    logic [COUNT-1:0]  beats_count;
    logic [COUNT-1:0]  unanswered;       // commands without done
    logic [COUNT:0]    late_statuses;
    logic [15:0]       late_beats;
    logic [31:0]       waited;
    logic              short_packet;     // TLAST came too early: the rest are zeros
    logic [31:0]       packet_code, data_code, code;
    logic              from_dma, move, last_beat, status_take, late_status_take, late_beat_take;
    logic              finished_valid, finished_ready;
    logic [31:0]       finished_code;
    logic [COUNT-1:0]  finished_count;
    logic              waiting, late_waiting, owed, silent;

    // While jammed, commands are taken only to end them at once.
    assign owed           = late_statuses != '0 || late_beats != '0 || command_tvalid;
    assign read_ready     = beats_in_ready && unanswered != COUNT'(DEPTH)
        && (jammed ? owed && silent : !command_tvalid && !give_up);
    assign take           = read_valid && read_ready;
    assign idle           = unanswered == '0;

    fifo #(.WIDTH(BEATS), .DEPTH(DEPTH)) beats_fifo (
        .clk, .rst, .clear(1'b0),
        .in_valid(take), .in_ready(beats_in_ready), .in_data(read_beats),
        .out_valid(beats_valid), .out_ready(beats_ready), .out_data(beats), .count(beats_count)
    );

    // Beats: from the DMA engine, or zeros.
    assign from_dma      = !jammed && !short_packet;
    assign data_valid    = beats_valid && finished_ready && (from_dma ? stream_tvalid : 1'b1);
    assign data          = from_dma ? stream_tdata : '0;
    assign last_beat     = beat + 1'b1 == beats;
    assign data_last     = last_beat;
    assign move          = data_valid && data_ready;
    assign beats_ready   = move && last_beat;
    assign stream_tready = jammed ? late_beats != '0 : from_dma && beats_valid && finished_ready && data_ready;
    assign late_beat_take = jammed && stream_tvalid && stream_tready;

    always_comb begin
        data_code = packet_code;
        if (from_dma && stream_tlast != last_beat)
            data_code = data_code
                | (last_beat ? cclo_pkg::RETURN_CODE_DMA_NOT_END_OF_PACKET
                    : cclo_pkg::RETURN_CODE_DMA_NOT_EXPECTED_BTT);
    end

    // A command is done when its beats are delivered and its status is there.
    fifo #(.WIDTH(32), .DEPTH(DEPTH)) finished_fifo (
        .clk, .rst, .clear(1'b0),
        .in_valid(beats_ready), .in_ready(finished_ready), .in_data(data_code),
        .out_valid(finished_valid), .out_ready(done_valid), .out_data(finished_code), .count(finished_count)
    );

    dma_status_check check (
        .status({24'd0, status_tdata}), .counted(1'b0), .expected_tag(status_tag), .expected_bytes(23'd0), .code
    );

    assign late_status_take = status_tvalid && late_statuses != '0;
    assign status_take   = status_tvalid && late_statuses == '0 && finished_valid && !jammed;
    assign status_tready = late_statuses != '0 || (finished_valid && !jammed);
    assign done_valid    = finished_valid && (status_tvalid && status_tready && !late_status_take || jammed);
    assign done_code     = jammed ? cclo_pkg::RETURN_CODE_DMA_TIMEOUT : (code != '0 ? code : finished_code);

    assign waiting      = !jammed && unanswered != '0 && !move && !status_take
        && (beats_valid && !stream_tvalid || finished_valid || command_tvalid && !command_tready);
    assign late_waiting = jammed && owed && !late_status_take && !late_beat_take && !(command_tvalid && command_tready);
    assign give_up      = !jammed && unanswered != '0 && (abandon || silent);

    always_ff @(posedge clk) begin
        if (rst) begin
            command_tvalid <= 1'b0;
            next_tag       <= '0;
            status_tag     <= '0;
            beat           <= '0;
            unanswered     <= '0;
            late_statuses  <= '0;
            late_beats     <= '0;
            waited         <= '0;
            silent         <= 1'b0;
            jammed         <= 1'b0;
            short_packet   <= 1'b0;
            packet_code    <= '0;
        end else begin
            if (command_tready) command_tvalid <= 1'b0;
            if (take && !jammed) begin
                command_tvalid <= 1'b1;
                next_tag       <= next_tag + 1'b1;
            end
            unanswered <= unanswered + COUNT'(take) - COUNT'(done_valid);
            if (status_tvalid && status_tready) status_tag <= status_tag + 1'b1;
            if (move) begin
                beat         <= last_beat ? '0 : beat + 1'b1;
                packet_code  <= last_beat ? '0 : data_code;
                short_packet <= !last_beat && (short_packet || from_dma && stream_tlast);
            end
            if (!waiting && !late_waiting) waited <= '0;
            else if (waited < limit_cycles) waited <= waited + 1'b1;
            silent <= (waiting || late_waiting) && waited >= limit_cycles;

            if (give_up) begin
                // What was commanded and has not come: beats are told by their
                // last one, one packet a command.
                jammed        <= 1'b1;
                late_statuses <= (COUNT+1)'(unanswered) - (COUNT+1)'(done_valid);
                late_beats    <= 16'(beats_count) - 16'(short_packet || beats_ready || move && stream_tlast);
            end
            if (late_status_take) late_statuses <= late_statuses - 1'b1;
            if (late_beat_take && stream_tlast) late_beats <= late_beats - 1'b1;
            if (jammed && !owed && unanswered == '0) jammed <= 1'b0;
        end
        if (take && !jammed) begin
            command_tdata <= command;
            command_tdest <= 8'(read_host);
        end
    end

    wire _unused = ^finished_count;

endmodule

`default_nettype wire
