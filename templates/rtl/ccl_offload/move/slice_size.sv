// How many units the next slice has: at most what every part of it can give or
// take. The answer comes three cycles after the limits.
`default_nettype none

module slice_size (
    input  wire                                clk,
    input  wire move_pkg::plan_t               plan,

    input  wire [31:0]                         units_left,
    input  wire [31:0]                         op0_bytes,    // that lie together
    input  wire [31:0]                         op1_bytes,
    input  wire [31:0]                         result_bytes, // room on the kernel stream
    input  wire [31:0]                         wire_bytes,   // room in the packet

    output logic [engine_pkg::LENGTH_WIDTH-1:0] units,
    output logic                               last,         // they are all that is left
    output logic                               kernel_limits // a kernel stream may have more soon
);

    localparam int unsigned W = engine_pkg::LENGTH_WIDTH;
    localparam logic [31:0] MOST = 32'(engine_pkg::SLICE_BYTES);

    function logic [W-1:0] clamp(input logic [31:0] bytes);
        clamp = bytes > MOST ? W'(MOST) : W'(bytes);
    endfunction

    function logic [W-1:0] least(input logic [W-1:0] a, input logic [W-1:0] b);
        least = a < b ? a : b;
    endfunction

    // First cycle: no more than a slice has.
    logic [W-1:0] left, op0_most, op1_most, result_most, wire_most;
    logic         few;

    always_ff @(posedge clk) begin
        left        <= clamp(units_left);
        few         <= units_left <= MOST;
        op0_most    <= plan.op0.memory || !plan.op0.present ? W'(MOST) : clamp(op0_bytes);
        op1_most    <= plan.op1.memory || !plan.op1.present ? W'(MOST) : clamp(op1_bytes);
        result_most <= clamp(result_bytes);
        wire_most   <= clamp(wire_bytes);
    end

    // Second cycle: in units. At most one operand is the kernel stream.
    logic [W-1:0] fixed, op0, op1, result, own, still, wire_, kernel;
    logic         all;

    assign fixed  = W'(MOST) >> plan.largest_log2;
    assign op0    = op0_most >> plan.op0.log2;
    assign op1    = op1_most >> plan.op1.log2;
    assign result = result_most >> plan.result_log2;

    always_ff @(posedge clk) begin
        own    <= least(fixed, left);
        all    <= few && left <= fixed;
        still  <= least(plan.op0.kernel ? W'(MOST) : op0, plan.op1.kernel ? W'(MOST) : op1);
        wire_  <= plan.to_network ? wire_most >> plan.wire_log2 : W'(MOST);
        kernel <= least(plan.op0.kernel ? op0 : plan.op1.kernel ? op1 : W'(MOST), plan.to_kernel ? result : W'(MOST));
    end

    // Third cycle: the least of them. All are compared at once.
    logic own_least, own_less, still_least, still_less, wire_less; // less: no more than the kernel

    assign own_less    = own <= kernel;
    assign still_less  = still <= kernel;
    assign wire_less   = wire_ <= kernel;
    assign own_least   = own <= still && own <= wire_ && own_less;
    assign still_least = still <= wire_ && still_less;

    always_ff @(posedge clk) begin
        units         <= own_least ? own : still_least ? still : wire_less ? wire_ : kernel;
        last          <= all && own_least;
        kernel_limits <= !own_less && !still_less && !wire_less;
    end

    logic _unused;
    assign _unused = ^plan;

endmodule

`default_nettype wire
