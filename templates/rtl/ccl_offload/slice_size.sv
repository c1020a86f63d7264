// How many units the next slice has: at most what every part of it can give or
// take. The answer comes two cycles after the limits.
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

    logic [W-1:0] fixed, op0, op1, result, wire_, op_still, op_kernel;
    logic         few, op0_kernel, op1_kernel, result_kernel;
    logic [W-1:0] left, still, kernel;

    always_ff @(posedge clk) begin
        fixed  <= W'(MOST) >> plan.largest_log2;
        left   <= clamp(units_left);
        few    <= units_left <= MOST;
        op0    <= plan.op0.memory || !plan.op0.present ? W'(MOST) : clamp(op0_bytes) >> plan.op0.log2;
        op1    <= plan.op1.memory || !plan.op1.present ? W'(MOST) : clamp(op1_bytes) >> plan.op1.log2;
        result <= plan.to_kernel ? clamp(result_bytes) >> plan.result_log2 : W'(MOST);
        wire_  <= plan.to_network ? clamp(wire_bytes) >> plan.wire_log2 : W'(MOST);
    end

    assign op0_kernel    = plan.op0.kernel;
    assign op1_kernel    = plan.op1.kernel;
    assign result_kernel = plan.to_kernel;
    assign op_still      = least(op0_kernel ? W'(MOST) : op0, op1_kernel ? W'(MOST) : op1);
    assign op_kernel     = least(op0_kernel ? op0 : W'(MOST), op1_kernel ? op1 : W'(MOST));
    assign still         = least(least(fixed, left), least(op_still, wire_));
    assign kernel        = least(op_kernel, result_kernel ? result : W'(MOST));

    always_ff @(posedge clk) begin
        units         <= least(still, kernel);
        last          <= few && least(still, kernel) == left;
        kernel_limits <= kernel < still;
    end

    logic _unused;
    assign _unused = ^plan;

endmodule

`default_nettype wire
