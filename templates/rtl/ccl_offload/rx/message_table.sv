// Eager messages that nobody has taken yet, found by session, sender and
// sequence number. A search stops at each message with this key, the newest
// first. Messages in rx buffers have the number of the buffer; those without
// payload have numbers of their own behind these.
`default_nettype none

module message_table (
    input  wire          clk,
    input  wire          rst,
    input  wire          clear,

    // Begins a search, or goes on with it; done one pulse later or more.
    input  wire          start,
    input  wire  [15:0]  key_session,
    input  wire  [31:0]  key_src,
    input  wire  [31:0]  key_seq,
    input  wire          step,
    output logic         done,
    output logic         found,
    output logic [engine_pkg::BUFFER_WIDTH:0] found_number, // a cycle before done already
    output engine_pkg::collective_t found_collective, // and so this
    output logic [31:0]  found_context,
    output logic [31:0]  found_tag,
    output logic [31:0]  found_bytes,
    output logic         found_complete,

    // Takes the message that was found out of the table.
    input  wire          remove,

    // Adds one with the key of the last search.
    input  wire          insert,
    input  wire  [engine_pkg::BUFFER_WIDTH:0] insert_number,
    input  wire  [31:0]  insert_context,
    input  wire engine_pkg::collective_t insert_collective,
    input  wire  [31:0]  insert_tag,
    input  wire  [31:0]  insert_bytes,
    input  wire          insert_complete,

    // Its payload has arrived: it can be taken.
    input  wire          complete,
    input  wire  [engine_pkg::BUFFER_WIDTH-1:0] complete_number,

    // What is in a buffer, a cycle later.
    input  wire  [engine_pkg::BUFFER_WIDTH-1:0] read_number,
    output logic [15:0]  read_session,
    output logic [31:0]  read_src,
    output logic [31:0]  read_seq,
    output logic [31:0]  read_tag,
    output logic [31:0]  read_bytes
);

    localparam int unsigned NUMBER = engine_pkg::BUFFER_WIDTH + 1;
    localparam int unsigned WIDTH  = 16 + 8 * 32;

    typedef enum logic [1:0] {IDLE, FIRST, READ, COMPARE} state_t;

    function [7:0] hash(input [15:0] of_session, input [31:0] of_src, input [31:0] of_seq);
        hash = of_seq[7:0] ^ of_seq[15:8] ^ of_seq[23:16] ^ of_seq[31:24]
            ^ {of_src[3:0], of_src[7:4]} ^ of_src[15:8] ^ of_src[23:16] ^ of_src[31:24]
            ^ {of_session[2:0], of_session[7:3]} ^ of_session[15:8];
    endfunction

    logic [WIDTH-1:0]  entries [2**NUMBER];
    logic [NUMBER:0]   followers [2**NUMBER]; // whether another one follows in its chain, and its number
    logic [NUMBER-1:0] heads [256];
    logic [255:0]      chained;               // chains that have a head
    logic [2**NUMBER-1:0] completed;

    state_t            state;
    logic [7:0]        chain;
    logic [15:0]       session;
    logic [31:0]       src, seq;
    logic [NUMBER-1:0] at, previous;
    logic              behind_head;           // a previous one leads here
    logic [WIDTH-1:0]  entry, read_entry;
    logic [15:0]       entry_session;
    logic [31:0]       entry_src, entry_seq;
    logic [NUMBER:0]   follower;
    logic              same, head_write, follower_write;
    logic [127:0]      unused_context;

    assign {entry_session, entry_src, entry_seq, found_context, found_collective, found_tag, found_bytes} = entry;
    assign {read_session, read_src, read_seq, unused_context, read_tag, read_bytes} = read_entry;

    assign same           = entry_session == session && entry_src == src && entry_seq == seq;
    assign found_number   = at;
    assign found_complete = completed[at];
    assign head_write     = insert || remove && !behind_head;
    assign follower_write = insert || remove && behind_head;

    always_ff @(posedge clk) begin
        entry      <= entries[at];
        follower   <= followers[at];
        read_entry <= entries[{1'b0, read_number}];
        if (insert)
            entries[insert_number] <= {session, src, seq, insert_context, insert_collective, insert_tag, insert_bytes};
        if (follower_write)
            followers[insert ? insert_number : previous] <= insert ? {chained[chain], heads[chain]} : follower;
        if (head_write) heads[chain] <= insert ? insert_number : follower[NUMBER-1:0];
    end

    always_ff @(posedge clk) begin
        done <= 1'b0;
        if (head_write) chained[chain] <= insert || follower[NUMBER];
        if (insert) completed[insert_number] <= insert_complete;
        if (complete) completed[{1'b0, complete_number}] <= 1'b1;
        case (state)
            FIRST: begin
                at          <= heads[chain];
                behind_head <= 1'b0;
                found       <= 1'b0;
                done        <= !chained[chain];
                state       <= chained[chain] ? READ : IDLE;
            end
            READ: state <= COMPARE;
            COMPARE: if (same || !follower[NUMBER]) begin
                found <= same;
                done  <= 1'b1;
                state <= IDLE;
            end else begin
                previous    <= at;
                behind_head <= 1'b1;
                at          <= follower[NUMBER-1:0];
                state       <= READ;
            end
            default: begin end
        endcase
        if (step) begin
            previous    <= at;
            behind_head <= 1'b1;
            at          <= follower[NUMBER-1:0];
            found       <= 1'b0;
            done        <= !follower[NUMBER];
            state       <= follower[NUMBER] ? READ : IDLE;
        end
        if (start) begin
            session <= key_session;
            src     <= key_src;
            seq     <= key_seq;
            chain   <= hash(key_session, key_src, key_seq);
            state   <= FIRST;
        end
        if (rst || clear) begin
            state   <= IDLE;
            done    <= 1'b0;
            chained <= '0;
        end
    end

endmodule

`default_nettype wire
