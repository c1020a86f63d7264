// Watches packets that the network stack refuses. One that it refuses for longer
// than the limit of waits for remote ranks is stuck: it is not asked for again, and
// its session gets no more room, so that the next call on it ends with an error. The
// packet stays where it is until the session closes or the network is reset. One
// packet is watched at a time; others have their turn when it has gone or is stuck.
`default_nettype none

module tx_refusals (
    input  wire                               clk,
    input  wire                               rst,
    input  wire                               tick_millisecond,
    input  wire  [31:0]                       remote_milliseconds,

    input  wire                               ask,          // the stack is asked for a packet,
    input  wire  [engine_pkg::SLOT_WIDTH-1:0] ask_slot,
    input  wire  [15:0]                       ask_session,
    input  wire                               answer_valid, // and answers
    input  wire  [engine_pkg::SLOT_WIDTH-1:0] answer_slot,
    input  wire                               answer_good,

    input  wire  [engine_pkg::SLOTS-1:0]      used,
    output logic [engine_pkg::SLOTS-1:0]      stuck,

    output logic                              refused,      // pulses
    output logic                              given_up,
    output logic [15:0]                       given_up_session
);

    localparam int unsigned SLOTS = engine_pkg::SLOTS;

    logic [15:0]                       sessions [SLOTS]; // by slot: which it was asked for last
    logic                              watching, bad, gives_up;
    logic [engine_pkg::SLOT_WIDTH-1:0] watched;
    logic [31:0]                       waited;           // milliseconds

    assign bad      = answer_valid && !answer_good;
    assign gives_up = bad && watching && watched == answer_slot && waited > remote_milliseconds;

    always_ff @(posedge clk) begin
        if (ask) sessions[ask_slot] <= ask_session;

        if (!watching) begin
            watching <= bad;
            watched  <= answer_slot;
            waited   <= '0;
        end else begin
            waited <= waited + 32'(tick_millisecond);
            if (!used[watched] || gives_up || answer_valid && answer_good && watched == answer_slot) watching <= 1'b0;
        end

        stuck <= stuck & used;
        if (gives_up) stuck[answer_slot] <= 1'b1;

        refused  <= bad;
        given_up <= gives_up;
        if (gives_up) given_up_session <= sessions[answer_slot];

        if (rst) begin
            watching <= 1'b0;
            stuck    <= '0;
            refused  <= 1'b0;
            given_up <= 1'b0;
        end
    end

endmodule

`default_nettype wire
