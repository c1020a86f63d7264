// Calls that were taken and are not answered yet: tickets, and the order in
// which the clients get their answers.
//
// A ticket's lower bits are its place in the tables. Tickets count up; those
// whose place is still in use are left out. Each client has a list of its
// calls, linked by place.
`default_nettype none

module call_tickets #(
    parameter int unsigned DEPTH        = 64, // calls without an answer
    parameter int unsigned CLIENT_WIDTH = 3,  // bits of a client's number
    parameter logic [31:0] DROPPED      = '0  // code of calls that are dropped
) (
    input  wire                     clk,
    input  wire                     rst,

    output logic                    idle,      // every call is answered
    output logic                    full,      // no place until an answer has gone
    output logic                    available, // the next ticket can be given out: soon, unless full
    output logic [31:0]             next,
    input  wire                     take,      // gives it out
    input  wire [CLIENT_WIDTH-1:0]  client,    // to a call of this one

    input  wire [31:0]              ticket,
    output logic                    known,     // a call has this ticket that was not answered
    input  wire                     answer,    // answers it, if it is known
    input  wire [31:0]              code,
    output logic [31:0]             cycles,    // since the call was taken
    input  wire                     drop,      // level: all are answered with DROPPED; nothing is taken meanwhile

    output logic                    out_valid,
    input  wire                     out_ready,
    output logic [CLIENT_WIDTH-1:0] out_client,
    output logic [31:0]             out_code
);

    localparam int unsigned PLACE   = $clog2(DEPTH);
    localparam int unsigned CLIENTS = 1 << CLIENT_WIDTH;

    // By place.
    logic [31:0]              codes [DEPTH];
    logic [31:0]              stamps [DEPTH]; // when they were taken
    logic [31:PLACE]          uppers [DEPTH];
    logic [CLIENT_WIDTH-1:0]  owners [DEPTH];
    logic [PLACE-1:0]         followers [DEPTH]; // the client's next call
    logic [DEPTH-1:0]         used, answered, dropped;

    // By client.
    logic [PLACE-1:0]         firsts [CLIENTS];
    logic [PLACE-1:0]         lasts [CLIENTS];
    logic [CLIENTS-1:0]       has_calls;
    logic [CLIENTS-1:0]       ready;             // its first call is answered

    // Places.
    logic [PLACE-1:0]         given, answering;
    logic [31:0]              clock;
    logic [CLIENT_WIDTH-1:0]  owner;

    assign idle      = used == '0 && !out_valid;
    assign full      = &used;
    assign given     = next[PLACE-1:0];
    assign available = !used[given] && next != 0;
    assign answering = ticket[PLACE-1:0];
    assign known     = used[answering] && !answered[answering] && uppers[answering] == ticket[31:PLACE];
    assign owner     = owners[answering];
    assign cycles    = clock - stamps[answering];

    // An answer is picked in one cycle and leaves its list in the next one in
    // which the processor neither takes nor answers.
    logic                     picked, leaves;
    logic [CLIENT_WIDTH-1:0]  pick, pick_index;
    logic [CLIENTS-1:0]       pick_grant;
    logic [PLACE-1:0]         leaving, follower;

    round_robin #(.N(CLIENTS)) turns (
        .clk(clk), .rst(rst), .request(ready), .advance(!picked), .grant(pick_grant), .index(pick_index)
    );

    assign leaving  = firsts[pick];
    assign follower = followers[leaving];
    assign leaves   = picked && !take && !answer && (!out_valid || out_ready);

    // A client's first call: the one that is taken, or the one behind that which leaves.
    logic                    moves_on;
    logic [CLIENT_WIDTH-1:0] whose;
    logic [PLACE-1:0]        first, previous;

    assign moves_on = take ? !has_calls[client] : leaves;
    assign previous = lasts[client];
    assign whose    = take ? client : pick;
    assign first    = take ? given : follower;

    wire unused = &{1'b0, pick_grant};

    always_ff @(posedge clk) begin
        clock <= rst ? '0 : clock + 32'd1;
        if (answer && known) codes[answering] <= code;
        if (take) begin
            uppers[given] <= next[31:PLACE];
            stamps[given] <= clock;
            owners[given] <= client;
        end
        if (take && has_calls[client]) followers[previous] <= given;
        if (take) lasts[client] <= given;
        if (moves_on) firsts[whose] <= first;
        if (leaves) begin
            out_client <= pick;
            out_code   <= dropped[leaving] ? DROPPED : codes[leaving];
        end
        if (!picked) pick <= pick_index;
    end

    always_ff @(posedge clk) begin
        if (rst) begin
            next      <= 32'd1;
            used      <= '0;
            answered  <= '0;
            has_calls <= '0;
            ready     <= '0;
            picked    <= 1'b0;
            out_valid <= 1'b0;
        end else begin
            if (take || !available) next <= next + 32'd1;
            if (take) begin
                used[given]       <= 1'b1;
                answered[given]   <= 1'b0;
                dropped[given]    <= 1'b0;
                has_calls[client] <= 1'b1;
            end
            if (answer && known) begin
                answered[answering] <= 1'b1;
                if (firsts[owner] == answering) ready[owner] <= 1'b1;
            end
            if (!picked) picked <= ready != '0;
            if (out_ready) out_valid <= 1'b0;
            if (leaves) begin
                out_valid     <= 1'b1;
                picked        <= 1'b0;
                used[leaving] <= 1'b0;
                if (leaving == lasts[pick]) begin
                    has_calls[pick] <= 1'b0;
                    ready[pick]     <= 1'b0;
                end else begin
                    ready[pick] <= answered[follower];
                end
            end else if (drop) begin
                answered <= answered | used;
                dropped  <= dropped | used & ~answered;
                ready    <= has_calls;
            end
        end
    end

endmodule

`default_nettype wire
