// Two clients of the exchange memory share a port, by turns.
`default_nettype none

module exchange_share (
    input  wire clk,
    input  wire rst,

    input  wire engine_pkg::exchange_request_t    first_request,
    output engine_pkg::exchange_response_t        first_response,
    input  wire engine_pkg::exchange_request_t    second_request,
    output engine_pkg::exchange_response_t        second_response,

    output engine_pkg::exchange_request_t         exchange_request,
    input  wire engine_pkg::exchange_response_t   exchange_response
);

    logic holding; // a request waits for its answer
    logic owner;   // of it, or of the last one: 1 for the second client
    logic second;  // the second client has its turn

    assign second           = holding ? owner : second_request.valid && (!owner || !first_request.valid);
    assign exchange_request = second ? second_request : first_request;

    always_comb begin
        first_response       = exchange_response;
        second_response      = exchange_response;
        first_response.done  = exchange_response.done && !second;
        second_response.done = exchange_response.done && second;
    end

    always_ff @(posedge clk) begin
        if (rst) begin
            holding <= 1'b0;
            owner   <= 1'b0;
        end else begin
            holding <= exchange_request.valid && !exchange_response.done;
            if (exchange_request.valid) owner <= second;
        end
    end

endmodule

`default_nettype wire
