// Ends slices in the order in which they were dispatched, when all that belongs
// to them is done: packets are committed, received buffers given back, and the
// queue hears how it went.
`default_nettype none

module slice_retire #(
    parameter int unsigned DEPTH = 8 // slices at a time
) (
    input  wire  clk,
    input  wire  rst,
    input  wire  flush,                             // a level: all slices end with DMA_TIMEOUT

    input  wire  slice_valid,                       // there is room for DEPTH
    input  engine_pkg::slice_t slice,
    output logic [$clog2(DEPTH+1)-1:0] in_flight,
    output logic waits,                             // the oldest slice waits for the data path

    // What happens to parts of slices, each in order.
    input  wire  op0_done,
    input  wire  [31:0] op0_code,
    input  wire  op1_done,
    input  wire  [31:0] op1_code,
    input  wire  memory_done,
    input  wire  [31:0] memory_code,
    input  wire  kept_done,
    input  wire  [31:0] kept_code,
    input  wire  kernel_done,
    input  wire  slot_done,
    input  wire  dropped,                           // a slice without result

    output logic packet_commit_valid,
    input  wire  packet_commit_ready,
    output logic [engine_pkg::SLOT_WIDTH-1:0] packet_commit_slot,
    output logic packet_commit_good,

    output logic release_valid,
    input  wire  release_ready,
    output logic [engine_pkg::BUFFER_WIDTH-1:0] release_buffer,

    output engine_pkg::retire_t retire,
    input  wire  [engine_pkg::QUEUES-1:0] restart   // by queue: what comes from now on is not behind a fault
);

    localparam int unsigned COUNT = $clog2(DEPTH + 1);

    engine_pkg::slice_t oldest;
    logic               there, ended, all_done, moves_data;
    logic [31:0]        code0, code1, code2, code3, code, found_code;
    logic               has0, has1, has2, has3, use0, use1, use2, use3, useless;
    logic               pop;
    logic [engine_pkg::QUEUES-1:0] faulty; // after a fault no packet of the queue is good, until its restart
    logic [COUNT-1:0]   kernel_count, slot_count, dropped_count;
    logic [COUNT-1:0]   _unused_count0, _unused_count1, _unused_count2, _unused_count3;
    logic _unused_room, _unused_room0, _unused_room1, _unused_room2, _unused_room3, _unused_slice;
    typedef enum logic [1:0] {WAIT, COMMIT, RELEASE0, RELEASE1} state_t;
    state_t state;

    fifo #(.WIDTH($bits(slice)), .DEPTH(DEPTH)) slices (
        .clk, .rst, .clear(1'b0),
        .in_valid(slice_valid), .in_ready(_unused_room), .in_data(slice),
        .out_valid(there), .out_ready(ended), .out_data(oldest), .count(in_flight)
    );
    fifo #(.WIDTH(32), .DEPTH(DEPTH)) codes0 (
        .clk, .rst(rst || flush), .clear(1'b0), .in_valid(op0_done), .in_ready(_unused_room0), .in_data(op0_code),
        .out_valid(has0), .out_ready(pop && use0), .out_data(code0), .count(_unused_count0)
    );
    fifo #(.WIDTH(32), .DEPTH(DEPTH)) codes1 (
        .clk, .rst(rst || flush), .clear(1'b0), .in_valid(op1_done), .in_ready(_unused_room1), .in_data(op1_code),
        .out_valid(has1), .out_ready(pop && use1), .out_data(code1), .count(_unused_count1)
    );
    fifo #(.WIDTH(32), .DEPTH(DEPTH)) codes2 (
        .clk, .rst(rst || flush), .clear(1'b0), .in_valid(memory_done), .in_ready(_unused_room2), .in_data(memory_code),
        .out_valid(has2), .out_ready(pop && use2), .out_data(code2), .count(_unused_count2)
    );
    fifo #(.WIDTH(32), .DEPTH(DEPTH)) codes3 (
        .clk, .rst(rst || flush), .clear(1'b0), .in_valid(kept_done), .in_ready(_unused_room3), .in_data(kept_code),
        .out_valid(has3), .out_ready(pop && use3), .out_data(code3), .count(_unused_count3)
    );

    assign use0       = oldest.op0.from == engine_pkg::FROM_MEMORY && oldest.op0.bytes != '0;
    assign use1       = oldest.op1.from == engine_pkg::FROM_MEMORY && oldest.op1.bytes != '0;
    assign use2       = oldest.to_memory && moves_data;
    assign use3       = oldest.keeps && moves_data;
    assign moves_data = oldest.op0.from != engine_pkg::FROM_NONE && oldest.op0.bytes != '0;
    assign useless    = moves_data && !oldest.to_memory && !oldest.to_kernel && !oldest.to_network;
    assign all_done   = (!use0 || has0) && (!use1 || has1) && (!use2 || has2) && (!use3 || has3)
                     && (!(oldest.to_kernel && moves_data) || kernel_count != '0)
                     && (!(oldest.to_network && moves_data) || slot_count != '0)
                     && (!useless || dropped_count != '0);
    assign found_code = flush ? cclo_pkg::RETURN_CODE_DMA_TIMEOUT
        : code_of(use0, code0) | code_of(use1, code1) | code_of(use2, code2) | code_of(use3, code3);
    assign waits      = there && state == WAIT && !all_done;
    assign pop        = there && state == WAIT && all_done && !flush;

    always_comb begin
        case (state)
            WAIT:
                ended = there && (all_done || flush) && !oldest.slot_commit
                    && !oldest.op0.release_ && !oldest.op1.release_;
            COMMIT:  ended = packet_commit_ready && !oldest.op0.release_ && !oldest.op1.release_;
            RELEASE0: ended = release_ready && !oldest.op1.release_;
            default: ended = release_ready;
        endcase
    end

    assign packet_commit_valid = state == COMMIT;
    assign packet_commit_slot  = oldest.slot;
    assign packet_commit_good  = code == '0 && oldest.to_network && !faulty[oldest.queue_];
    assign release_valid       = state == RELEASE0 || state == RELEASE1;
    assign release_buffer      = state == RELEASE0 ? oldest.op0.buffer_ : oldest.op1.buffer_;
    assign _unused_slice       = ^oldest;

    function logic [31:0] code_of(input logic use_, input logic [31:0] value);
        code_of = use_ ? value : '0;
    endfunction

    always_ff @(posedge clk) begin
        if (rst) begin
            state         <= WAIT;
            retire        <= '0;
            kernel_count  <= '0;
            slot_count    <= '0;
            dropped_count <= '0;
            code          <= '0;
            faulty        <= '0;
        end else begin
            kernel_count  <= flush ? '0
                : kernel_count + COUNT'(kernel_done) - COUNT'(pop && oldest.to_kernel && moves_data);
            slot_count    <= flush ? '0
                : slot_count + COUNT'(slot_done) - COUNT'(pop && oldest.to_network && moves_data);
            dropped_count <= flush ? '0 : dropped_count + COUNT'(dropped) - COUNT'(pop && useless);
            case (state)
                WAIT: if (there && (all_done || flush)) begin
                    code <= found_code;
                    if (oldest.slot_commit) state <= COMMIT;
                    else if (oldest.op0.release_) state <= RELEASE0;
                    else if (oldest.op1.release_) state <= RELEASE1;
                end
                COMMIT:
                    if (packet_commit_ready)
                        state <= oldest.op0.release_ ? RELEASE0 : oldest.op1.release_ ? RELEASE1 : WAIT;
                RELEASE0: if (release_ready) state <= oldest.op1.release_ ? RELEASE1 : WAIT;
                default: if (release_ready) state <= WAIT;
            endcase
            faulty <= (faulty & ~restart)
                | (retire.valid && retire.code != '0 ? engine_pkg::QUEUES'(1) << retire.queue_ : '0);
            retire <= '0;
            if (ended) begin
                retire.valid  <= 1'b1;
                retire.queue_ <= oldest.queue_;
                retire.last   <= oldest.last;
                retire.code   <= state != WAIT ? code : found_code;
            end
        end
    end

endmodule

`default_nettype wire
