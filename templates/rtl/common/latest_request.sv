// Passes requests on to somebody who answers each one, in their order. Of several
// requests that nobody has taken the latest one stays; only the answer to the
// latest request counts. What nobody has asked for is no answer.
`default_nettype none

module latest_request #(
    parameter int unsigned WIDTH = 16 // bits of a request
) (
    input  wire              clk,
    input  wire              rst,

    input  wire              ask,      // pulse
    input  wire  [WIDTH-1:0] ask_data,

    output logic             out_valid,
    input  wire              out_ready,
    output logic [WIDTH-1:0] out_data,

    input  wire              answer,   // pulse: one has come
    output logic             counts    // in the same cycle
);

    localparam int unsigned COUNT = 8;

    logic             waiting;      // a request waits behind the one at the output
    logic [WIDTH-1:0] waiting_data;
    logic [COUNT-1:0] taken;        // requests without an answer
    logic             sends, blocked;

    assign blocked = taken == '1;
    assign sends   = waiting && !out_valid && !blocked;
    assign counts  = answer && taken == COUNT'(1) && !waiting && !out_valid && !ask;

    always_ff @(posedge clk) begin
        if (ask) waiting_data <= ask_data;
        if (sends) out_data <= waiting_data;
        if (rst) begin
            waiting   <= 1'b0;
            out_valid <= 1'b0;
            taken     <= '0;
        end else begin
            waiting <= ask || waiting && !sends;
            if (sends) out_valid <= 1'b1;
            else if (out_ready) out_valid <= 1'b0;
            taken <= taken + COUNT'(out_valid && out_ready) - COUNT'(answer && taken != '0);
        end
    end

endmodule

`default_nettype wire
