// Counts the beats of the two kernel streams that slices may count on, and
// knows which queue has them.
`default_nettype none

module kernel_account (
    input  wire                            clk,
    input  wire                            rst,
    input  wire                            flushing, // both streams are emptied

    input  wire [engine_pkg::QUEUES-1:0]   in_wanted,
    input  wire [engine_pkg::QUEUES-1:0]   out_wanted,
    output logic [engine_pkg::QUEUES-1:0]  granted,     // all that a queue wants
    input  wire [engine_pkg::QUEUES-1:0]   drop,        // it has given its move up

    input  wire                            in_pushed,   // a beat has come
    input  wire                            out_popped,  // a beat has gone
    input  wire                            dispatched,  // a slice, a cycle ago
    input  wire engine_pkg::slice_t        slice,

    output logic [31:0]                    in_bytes,    // that can be read
    output logic [31:0]                    out_bytes,   // that can be written
    output logic                           in_settled,  // there may be no more for some time
    output logic                           out_settled,
    output logic                           in_drop,     // the rest of a beat that nobody reads
    output logic                           out_drop     // a part of a beat that is never full
);

    localparam int unsigned QUEUES   = engine_pkg::QUEUES;
    localparam int unsigned BEAT     = cclo_pkg::BEAT_BYTES;
    localparam int unsigned LOG2     = 32'($clog2(BEAT));
    // beyond the buffer a few beats are on their way
    localparam int unsigned COUNT    = 32'($clog2(engine_pkg::KERNEL_BEATS * BEAT)) + 32'd2;
    localparam logic [4:0]  PATIENCE = 5'd16; // cycles without a beat

    // Owners. A queue gets all that it wants at once.
    logic [QUEUES-1:0] in_owner, out_owner, candidates, chosen;
    logic [engine_pkg::QUEUE_WIDTH-1:0] chosen_index;

    assign granted    = (in_wanted | out_wanted) & (~in_wanted | in_owner) & (~out_wanted | out_owner);
    assign candidates = (in_wanted & ~in_owner & {QUEUES{in_owner == '0}}
            | out_wanted & ~out_owner & {QUEUES{out_owner == '0}})
        & ~(in_wanted & {QUEUES{in_owner != '0}}) & ~(out_wanted & {QUEUES{out_owner != '0}});

    round_robin #(.N(QUEUES)) arbiter (
        .clk, .rst, .request(candidates), .advance(candidates != '0), .grant(chosen), .index(chosen_index)
    );

    always_ff @(posedge clk) begin
        in_owner  <= (in_owner | chosen) & in_wanted;
        out_owner <= (out_owner | chosen) & out_wanted;
        if (rst) begin
            in_owner  <= '0;
            out_owner <= '0;
        end
    end

    // Bytes. What is no multiple of a beat is the rest of one that slices share;
    // the last slice of a move takes all of it.
    logic [COUNT-1:0] in_left, in_more, in_after, out_left, out_more, out_after, in_slice, out_slice;
    logic             op0_in, op1_in, out;
    logic [4:0]       in_quiet, out_quiet;

    assign in_bytes    = 32'(in_left);
    assign out_bytes   = 32'(out_left);
    assign in_settled  = in_quiet == PATIENCE;
    assign out_settled = out_quiet == PATIENCE;
    assign in_drop     = (drop & in_owner) != '0 && in_left[LOG2-1:0] != '0;
    assign out_drop    = (drop & out_owner) != '0 && out_left[LOG2-1:0] != '0;

    assign in_more   = in_left + (COUNT'(in_pushed) << LOG2);
    assign in_after  = in_more - in_slice;
    assign out_more  = out_left + (COUNT'(out_popped) << LOG2);
    assign out_after = out_more - out_slice;

    // Of a slice one operand at most.
    assign op0_in    = dispatched && slice.op0.from == engine_pkg::FROM_KERNEL;
    assign op1_in    = dispatched && slice.op1.from == engine_pkg::FROM_KERNEL;
    assign out       = dispatched && slice.to_kernel;
    assign in_slice  = op0_in ? COUNT'(slice.op0.bytes) : op1_in ? COUNT'(slice.op1.bytes) : '0;
    assign out_slice = out ? COUNT'(slice.result_bytes) : '0;

    always_ff @(posedge clk) begin
        in_left  <= in_after;
        out_left <= out_after;
        if (in_drop || (op0_in || op1_in) && slice.last) in_left[LOG2-1:0] <= '0;
        if (out_drop || out && slice.last) out_left[LOG2-1:0] <= '0;
        if (out_drop) out_left[COUNT-1:LOG2] <= out_more[COUNT-1:LOG2] + 1'b1;
        in_quiet  <= in_pushed ? '0 : in_quiet + 5'(in_quiet != PATIENCE);
        out_quiet <= out_popped ? '0 : out_quiet + 5'(out_quiet != PATIENCE);
        if (rst || flushing) begin
            in_left   <= '0;
            out_left  <= COUNT'(engine_pkg::KERNEL_BEATS * BEAT);
            in_quiet  <= '0;
            out_quiet <= '0;
        end
    end

    logic _unused;
    assign _unused = ^{slice, chosen_index};

endmodule

`default_nettype wire
