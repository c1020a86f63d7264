// Brings together what the queues want of the parts that they share: slices go
// to the data path one by one, packets are opened, buffers are given back.
`default_nettype none

module dispatcher #(
    parameter int unsigned SLICE_WIDTH  = 32'd1, // bits of engine_pkg::slice_t
    parameter int unsigned PACKET_WIDTH = 32'd1  // bits of engine_pkg::packet_t
) (
    input  wire                                          clk,
    input  wire                                          rst,

    // Slices.
    input  wire [engine_pkg::QUEUES-1:0]                 channel_slice_valid,
    output logic [engine_pkg::QUEUES-1:0]                channel_slice_ready,
    input  wire [engine_pkg::QUEUES*SLICE_WIDTH-1:0]     channel_slice,
    input  wire [engine_pkg::QUEUES*move_pkg::KEY_WIDTH-1:0] channel_key,
    input  wire [engine_pkg::QUEUES-1:0]                 channel_commits,
    input  wire [engine_pkg::QUEUES-1:0]                 channel_ends,
    output logic                                         slice_valid,
    input  wire                                          slice_ready,
    output engine_pkg::slice_t                           slice,
    input  wire engine_pkg::retire_t                     retire,
    input  wire [engine_pkg::QUEUES-1:0]                 restart,

    // Packets.
    input  wire [engine_pkg::QUEUES-1:0]                 channel_open_valid,
    output logic [engine_pkg::QUEUES-1:0]                channel_open_ready,
    input  wire [engine_pkg::QUEUES*PACKET_WIDTH-1:0]    channel_packet,
    output logic                                         packet_open_valid,
    input  wire                                          packet_open_ready,
    output engine_pkg::packet_t                          packet_open,
    input  wire [engine_pkg::QUEUES-1:0]                 channel_abandon,
    output logic [engine_pkg::QUEUES-1:0]                channel_abandon_done,
    output logic                                         packet_abandon_valid,
    input  wire                                          packet_abandon_ready,
    output logic                                         packet_abandon_self,
    output logic [15:0]                                  packet_abandon_session,

    // Buffers of received messages.
    input  wire [engine_pkg::QUEUES-1:0]                 channel_drop_valid,
    output logic [engine_pkg::QUEUES-1:0]                channel_drop_ready,
    input  wire [engine_pkg::QUEUES*engine_pkg::BUFFER_WIDTH-1:0] channel_drop_buffer,
    output logic                                         channel_release_valid,
    input  wire                                          channel_release_ready,
    output logic [engine_pkg::BUFFER_WIDTH-1:0]          channel_release_buffer,

    // Kernel streams.
    input  wire [engine_pkg::QUEUES-1:0]                 kernel_in_wanted,
    input  wire [engine_pkg::QUEUES-1:0]                 kernel_out_wanted,
    output logic [engine_pkg::QUEUES-1:0]                kernel_granted,
    input  wire [engine_pkg::QUEUES-1:0]                 kernel_drop,
    input  wire                                          data_flushing,
    input  wire                                          kernel_in_pushed,
    input  wire                                          kernel_out_popped,
    output logic [31:0]                                  kernel_in_bytes,
    output logic [31:0]                                  kernel_out_bytes,
    output logic                                         kernel_in_settled,
    output logic                                         kernel_out_settled,
    output logic                                         kernel_in_drop,
    output logic                                         kernel_out_drop
);

    localparam int unsigned QUEUES = engine_pkg::QUEUES;
    localparam int unsigned BUFFER = engine_pkg::BUFFER_WIDTH;
    localparam int unsigned INDEX  = engine_pkg::QUEUE_WIDTH;

    // Slices that complete a packet wait until their session is free. A slice is
    // taken when none waits for the data path: between two of them the sessions
    // and the kernel streams are counted.
    logic [QUEUES-1:0]   taken_now, elsewhere_now, taken, elsewhere, eligible, slice_grant, dispatched, retired;
    logic [INDEX-1:0]    slice_index;
    logic                take, commits, ends, fresh;
    engine_pkg::slice_t  candidate;

    assign eligible  = channel_slice_valid & (~channel_commits | ~taken & (channel_ends | ~elsewhere));
    assign candidate = channel_slice[SLICE_WIDTH*32'(slice_index) +: SLICE_WIDTH];

    assign take                = !slice_valid && !data_flushing;
    assign dispatched          = take ? slice_grant : '0;
    assign channel_slice_ready = dispatched;
    assign commits             = (slice_grant & channel_commits) != '0;
    assign ends                = (slice_grant & channel_ends) != '0;
    assign retired             = retire.valid ? QUEUES'(1) << retire.queue_ : '0;

    round_robin #(.N(QUEUES)) slice_arbiter (
        .clk, .rst, .request(eligible), .advance(take), .grant(slice_grant), .index(slice_index)
    );

    always_ff @(posedge clk) begin
        taken     <= taken_now;
        elsewhere <= elsewhere_now;
        fresh     <= dispatched != '0;
        if (take) slice <= candidate;
        if (rst) slice_valid <= 1'b0;
        else slice_valid <= slice_valid ? !slice_ready : dispatched != '0;
    end

    session_owners owners (
        .clk, .rst, .keys(channel_key), .taken(taken_now), .elsewhere(elsewhere_now),
        .dispatched, .commits, .ends, .retired, .retired_good(retire.code == '0), .restart,
        .abandon(channel_abandon), .abandon_done(channel_abandon_done),
        .packet_abandon_valid, .packet_abandon_ready, .packet_abandon_self, .packet_abandon_session
    );

    // A packet is offered until its session's room is known; then it is another one's
    // turn, so that one that must wait for its session does not hold up the others.
    localparam int unsigned TURN = 32'($clog2(move_pkg::OPEN_CYCLES));
    logic [QUEUES-1:0] open_grant, offered, drop_grant;
    logic [INDEX-1:0]  open_index, drop_index;
    logic [TURN-1:0]   offers; // cycles that it was offered for

    round_robin #(.N(QUEUES)) open_arbiter (
        .clk, .rst, .request(channel_open_valid & ~taken),
        .advance(offered == '0), .grant(open_grant), .index(open_index)
    );

    // At multiples of a power of two: else the index would be multiplied by the width.
    localparam int unsigned STRIDE = 1 << $clog2(PACKET_WIDTH);
    logic [STRIDE*QUEUES-1:0] packets;
    always_comb begin
        packets = '0;
        for (int unsigned q = 0; q < QUEUES; q++)
            packets[STRIDE*q +: PACKET_WIDTH] = channel_packet[PACKET_WIDTH*q +: PACKET_WIDTH];
    end

    always_ff @(posedge clk) begin
        if (offered == '0) packet_open <= packets[STRIDE*32'(open_index) +: PACKET_WIDTH];
        offers <= offered == '0 ? '0 : offers + 1'b1;
        if (rst) offered <= '0;
        else if (offered == '0) offered <= open_grant;
        else if (!packet_open_valid || packet_open_ready || offers == TURN'(move_pkg::OPEN_CYCLES - 1)) offered <= '0;
    end

    assign packet_open_valid  = (offered & channel_open_valid) != '0;
    assign channel_open_ready = packet_open_ready ? offered : '0;

    round_robin #(.N(QUEUES)) drop_arbiter (
        .clk, .rst, .request(channel_drop_valid),
        .advance(!channel_release_valid), .grant(drop_grant), .index(drop_index)
    );

    assign channel_drop_ready = channel_release_valid ? '0 : drop_grant;

    always_ff @(posedge clk) begin
        if (!channel_release_valid) channel_release_buffer <= channel_drop_buffer[BUFFER*drop_index +: BUFFER];
        if (rst) channel_release_valid <= 1'b0;
        else channel_release_valid <= channel_release_valid ? !channel_release_ready : drop_grant != '0;
    end

    kernel_account kernel (
        .clk, .rst, .flushing(data_flushing), .in_wanted(kernel_in_wanted),
        .out_wanted(kernel_out_wanted), .granted(kernel_granted), .drop(kernel_drop),
        .in_pushed(kernel_in_pushed), .out_popped(kernel_out_popped), .dispatched(fresh), .slice,
        .in_bytes(kernel_in_bytes), .out_bytes(kernel_out_bytes),
        .in_settled(kernel_in_settled), .out_settled(kernel_out_settled),
        .in_drop(kernel_in_drop), .out_drop(kernel_out_drop)
    );

    logic _unused;
    assign _unused = ^retire;

endmodule

`default_nettype wire
