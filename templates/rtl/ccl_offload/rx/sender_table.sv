// Which records of the exchange memory count the messages of a sender: those by
// which its messages were sought or taken. A sender can have several.
`default_nettype none

module sender_table (
    input  wire          clk,
    input  wire          rst,
    input  wire          clear,

    // Begins a search, goes on with it, or adds a record unless it is there;
    // done one pulse later or more.
    input  wire          start,
    input  wire          step,
    input  wire          know,
    input  wire  [15:0]  session,
    input  wire  [31:0]  src,
    input  wire  [31:0]  context_,
    input  wire  [15:0]  know_record,
    output logic         done,
    output logic         found,
    output logic [15:0]  found_record
);

    localparam int unsigned SENDERS = 1024;
    localparam int unsigned NUMBER  = 10;
    localparam int unsigned WIDTH   = 16 + 32 + 32 + 16;

    typedef enum logic [1:0] {IDLE, FIRST, READ, COMPARE} state_t;

    function [7:0] hash(input [15:0] of_session, input [31:0] of_src, input [31:0] of_context);
        hash = of_src[7:0] ^ of_src[15:8] ^ of_src[23:16] ^ of_src[31:24]
            ^ {of_session[3:0], of_session[7:4]} ^ of_session[15:8]
            ^ of_context[7:0] ^ of_context[15:8] ^ of_context[23:16] ^ of_context[31:24];
    endfunction

    logic [WIDTH-1:0]  entries [SENDERS];
    logic [NUMBER:0]   followers [SENDERS]; // whether another one follows in its chain, and its number
    logic [NUMBER-1:0] heads [256];
    logic [255:0]      chained;             // chains that have a head
    logic [NUMBER:0]   count;

    state_t            state;
    logic              learning;
    logic [7:0]        chain;
    logic [15:0]       key_session, key_record;
    logic [31:0]       key_src, key_context;
    logic [NUMBER-1:0] at;
    logic [WIDTH-1:0]  entry;
    logic [15:0]       entry_session;
    logic [31:0]       entry_src, entry_context;
    logic [NUMBER:0]   follower;
    logic              same, missing, add;

    assign {entry_session, entry_src, entry_context, found_record} = entry;
    assign same    = entry_session == key_session && entry_src == key_src && entry_context == key_context &&
                      (!learning || found_record == key_record);
    assign missing = state == FIRST && !chained[chain] || state == COMPARE && !same && !follower[NUMBER];
    assign add     = missing && learning && count != (NUMBER + 1)'(SENDERS);

    always_ff @(posedge clk) begin
        entry    <= entries[at];
        follower <= followers[at];
        if (add) begin
            entries[count[NUMBER-1:0]]   <= {key_session, key_src, key_context, key_record};
            followers[count[NUMBER-1:0]] <= {chained[chain], heads[chain]};
            heads[chain]                 <= count[NUMBER-1:0];
        end
    end

    always_ff @(posedge clk) begin
        done <= 1'b0;
        if (add) begin
            chained[chain] <= 1'b1;
            count          <= count + 1'b1;
        end
        case (state)
            FIRST: begin
                at    <= heads[chain];
                found <= 1'b0;
                done  <= missing;
                state <= missing ? IDLE : READ;
            end
            READ: state <= COMPARE;
            COMPARE: if (same || missing) begin
                found <= same;
                done  <= 1'b1;
                state <= IDLE;
            end else begin
                at    <= follower[NUMBER-1:0];
                state <= READ;
            end
            default: begin end
        endcase
        if (step) begin
            at    <= follower[NUMBER-1:0];
            found <= 1'b0;
            done  <= !follower[NUMBER];
            state <= follower[NUMBER] ? READ : IDLE;
        end
        if (start || know) begin
            learning    <= know;
            key_session <= session;
            key_src     <= src;
            key_context <= context_;
            key_record  <= know_record;
            chain       <= hash(session, src, context_);
            state       <= FIRST;
        end
        if (rst || clear) begin
            state   <= IDLE;
            done    <= 1'b0;
            chained <= '0;
            count   <= '0;
        end
    end

endmodule

`default_nettype wire
