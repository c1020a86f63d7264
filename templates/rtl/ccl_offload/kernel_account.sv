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
    input  wire                            dispatched,  // a slice
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
    localparam int unsigned COUNT    = 32'd12;
    localparam int unsigned W        = engine_pkg::LENGTH_WIDTH;
    localparam logic [4:0]  PATIENCE = 5'd16; // cycles without a beat

    // Owners. A queue gets all that it wants at once.
    logic [QUEUES-1:0] in_owner, out_owner, candidates, chosen;
    logic [engine_pkg::QUEUE_WIDTH-1:0] chosen_index;

    assign granted    = (in_wanted | out_wanted) & (~in_wanted | in_owner) & (~out_wanted | out_owner);
    assign candidates = (in_wanted & ~in_owner & {QUEUES{in_owner == '0}} | out_wanted & ~out_owner & {QUEUES{out_owner == '0}})
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

    // Beats, and the bytes of one that is shared by two slices.
    logic [COUNT-1:0] in_beats, out_beats, in_taken, out_taken;
    logic [LOG2-1:0]  in_part, out_part;
    logic [W:0]       in_total, out_total;
    logic [W-1:0]     in_slice;
    logic             from_kernel;
    logic [4:0]       in_quiet, out_quiet;

    assign from_kernel = slice.op0.from == engine_pkg::FROM_KERNEL || slice.op1.from == engine_pkg::FROM_KERNEL;
    assign in_slice    = slice.op0.from == engine_pkg::FROM_KERNEL ? slice.op0.bytes : slice.op1.bytes;
    assign in_total    = (W+1)'(in_part) + (W+1)'(in_slice);
    assign out_total   = (W+1)'(out_part) + (W+1)'(slice.result_bytes);

    assign in_bytes    = (32'(in_beats) << LOG2) - 32'(in_part);
    assign out_bytes   = (32'(out_beats) << LOG2) + (out_part == '0 ? '0 : 32'(BEAT) - 32'(out_part));
    assign in_settled  = in_quiet == PATIENCE;
    assign out_settled = out_quiet == PATIENCE;
    assign in_drop     = (drop & in_owner) != '0 && in_part != '0;
    assign out_drop    = (drop & out_owner) != '0 && out_part != '0;

    always_comb begin
        in_taken  = '0;
        out_taken = '0;
        if (dispatched && from_kernel)
            in_taken = COUNT'(in_total >> LOG2) + COUNT'(slice.last && in_total[LOG2-1:0] != '0);
        else if (in_drop) in_taken = COUNT'(1);
        if (dispatched && slice.to_kernel)
            out_taken = COUNT'(out_total >> LOG2) + COUNT'(out_total[LOG2-1:0] != '0) - COUNT'(out_part != '0);
    end

    always_ff @(posedge clk) begin
        in_beats  <= in_beats + COUNT'(in_pushed) - in_taken;
        out_beats <= out_beats + COUNT'(out_popped) + COUNT'(out_drop) - out_taken;
        if (dispatched && from_kernel) in_part <= slice.last ? '0 : in_total[LOG2-1:0];
        else if (in_drop) in_part <= '0;
        if (dispatched && slice.to_kernel) out_part <= slice.last ? '0 : out_total[LOG2-1:0];
        else if (out_drop) out_part <= '0;
        in_quiet  <= in_pushed ? '0 : in_quiet + 5'(in_quiet != PATIENCE);
        out_quiet <= out_popped ? '0 : out_quiet + 5'(out_quiet != PATIENCE);
        if (rst || flushing) begin
            in_beats  <= '0;
            out_beats <= COUNT'(engine_pkg::KERNEL_BEATS);
            in_part   <= '0;
            out_part  <= '0;
            in_quiet  <= '0;
            out_quiet <= '0;
        end
    end

    logic _unused;
    assign _unused = ^{slice, chosen_index};

endmodule

`default_nettype wire
