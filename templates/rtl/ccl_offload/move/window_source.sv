// Knows how much of a rendezvous window can be read from the addresses of the
// two operands.
`default_nettype none

module window_source (
    input  wire                                clk,
    input  wire                                rst,

    input  wire                                forget,  // another move begins
    input  wire [1:0]                          want,    // by operand: what can be read
    input  wire [1:0]                          short,   // that is not enough
    input  wire [31:0]                         window,
    input  wire [63:0]                         op0_address,
    input  wire [63:0]                         op1_address,
    output logic                               idle,
    output logic [1:0]                         known,
    output logic [1:0]                         ok,
    output logic [1:0]                         more,
    output logic [1:0]                         host,
    output logic [31:0]                        op0_bytes,
    output logic [31:0]                        op1_bytes,

    input  wire                                take,
    input  wire [engine_pkg::LENGTH_WIDTH-1:0] op0_take,
    input  wire [engine_pkg::LENGTH_WIDTH-1:0] op1_take,

    output engine_pkg::window_request_t        window_request,
    input  wire engine_pkg::window_response_t  window_response,
    input  wire                                windows_changed
);

    // More than a slice need not be asked for again.
    localparam logic [31:0] ENOUGH = 32'(2 * engine_pkg::SLICE_BYTES);

    logic       asks, operand;
    logic [1:0] changed; // since it was asked for

    assign idle                   = !asks;
    assign window_request.valid   = asks;
    assign window_request.window  = window;
    assign window_request.address = operand ? op1_address : op0_address;

    always_ff @(posedge clk) begin
        if (windows_changed) changed <= 2'b11;
        if (!asks) begin
            operand <= want[1] && !known[1] && (!want[0] || known[0]);
            asks    <= (want & ~known) != '0 && !forget;
            for (int unsigned i = 0; i < 2; i++)
                if (want[i] && known[i] && short[i] && more[i] && (changed[i] || windows_changed)) known[i] <= 1'b0;
            if (!known[0] && want[0]) changed[0] <= windows_changed;
            else if (!known[1] && want[1]) changed[1] <= windows_changed;
        end else if (window_response.done) begin
            asks           <= 1'b0;
            known[operand] <= 1'b1;
            ok[operand]    <= window_response.ok;
            more[operand]  <= window_response.more;
            host[operand]  <= window_response.host;
            if (operand) op1_bytes <= window_response.bytes;
            else op0_bytes <= window_response.bytes;
        end
        if (take) begin
            op0_bytes <= op0_bytes - 32'(op0_take);
            op1_bytes <= op1_bytes - 32'(op1_take);
            if (op0_bytes < ENOUGH && more[0]) known[0] <= 1'b0;
            if (op1_bytes < ENOUGH && more[1]) known[1] <= 1'b0;
        end
        if (forget || rst) known <= '0;
        if (rst) begin
            asks    <= 1'b0;
            changed <= '0;
        end
    end

endmodule

`default_nettype wire
