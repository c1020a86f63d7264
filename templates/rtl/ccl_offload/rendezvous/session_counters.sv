// A number for each session. All are 0 some time after reset or clear.
`default_nettype none

module session_counters (
    input  wire          clk,
    input  wire          rst,
    input  wire          clear,
    output logic         busy,      // clearing

    input  wire  [15:0]  session,
    output logic [31:0]  value,     // of the session, a cycle later
    input  wire          increment  // the session, whose value is there
);

    localparam int unsigned WIDTH = engine_pkg::SESSION_WIDTH;

    logic [31:0]      values [engine_pkg::SESSIONS];
    logic [WIDTH-1:0] sweep, index;
    logic             unused_session;

    assign index          = session[WIDTH-1:0];
    assign unused_session = ^session;

    always_ff @(posedge clk) begin
        value <= values[index];
        if (busy) values[sweep] <= '0;
        else if (increment) values[index] <= value + 1'b1;
    end

    always_ff @(posedge clk) begin
        if (rst || clear) begin
            busy  <= 1'b1;
            sweep <= '0;
        end else if (busy) begin
            busy  <= sweep != '1;
            sweep <= sweep + 1'b1;
        end
    end

endmodule

`default_nettype wire
