// Registers of a kernel in C++ that the host calls: see control_registers.
`default_nettype none

module sim_hls_control #(
    parameter int unsigned      COMPONENT     = 0,      // number of the kernel in the simulation
    parameter int unsigned      ADDRESS_WIDTH = 12,     // bits of a byte address
    parameter int unsigned      ARGUMENTS     = 32'h10, // offset of the first word
    parameter int unsigned      WORDS         = 1,      // of 32 bits, from ARGUMENTS on
    parameter logic [WORDS-1:0] WRITABLE      = '1      // words that the host writes
) (
    input  wire                      clk,
    input  wire                      rst,

    input  wire axilite_pkg::request_t control_request,
    output axilite_pkg::response_t control_response
);

    // A word of the arguments of a call that begins with this cycle.
    import "DPI-C" function void sim_hls_start(input int component, input int word, input int unsigned value);
    // Whether a call has ended.
    import "DPI-C" function bit sim_hls_ended(input int component);

    logic                start, running, ends;
    logic [32*WORDS-1:0] arguments;

    axilite_registers #(
        .ADDRESS_WIDTH(ADDRESS_WIDTH), .ARGUMENTS(ARGUMENTS), .WORDS(WORDS), .WRITABLE(WRITABLE)
    ) registers (
        .clk, .rst, .control_request, .control_response,
        .start, .taken(ends), .done(ends), .idle(!running), .arguments, .results('0)
    );

    always_ff @(posedge clk)
        if (rst) begin
            running <= 1'b0;
            ends    <= 1'b0;
        end else begin
            ends <= 1'b0;
            if (running) begin
                if (sim_hls_ended(int'(COMPONENT))) begin
                    running <= 1'b0;
                    ends    <= 1'b1;
                end
            end else if (start && !ends) begin
                for (int i = 0; i < int'(WORDS); i++) sim_hls_start(int'(COMPONENT), i, arguments[32*i +: 32]);
                running <= 1'b1;
            end
        end

endmodule

`default_nettype wire
