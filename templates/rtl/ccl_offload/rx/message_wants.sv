// Messages that a move waits for or that firmware has sought: each is the next
// of its sender. The oldest are forgotten when there are too many.
`default_nettype none

module message_wants (
    input  wire          clk,
    input  wire          rst,
    input  wire          clear,

    // Adds a want unless it is there, removes those that a message has
    // answered, or searches those that a message would answer, one after another;
    // done one pulse later or more.
    input  wire          add,
    input  wire          answer,
    input  wire          start,
    input  wire          step,
    input  wire  [15:0]  record,   // of the sender: add, answer
    input  wire  [15:0]  session,  // add, search
    input  wire  [31:0]  rank,     // add, search
    input  wire  [31:0]  context_, // add, search
    input  wire  [31:0]  tag,
    output logic         done,
    output logic         found,    // by a search; new, by an addition
    output logic [15:0]  found_record
);

    localparam int unsigned WANTS  = 64;
    localparam int unsigned NUMBER = 6;
    localparam int unsigned WIDTH  = 16 + 16 + 3 * 32;

    typedef enum logic [1:0] {IDLE, READ, COMPARE} state_t;

    localparam logic [1:0] ADD    = 2'd0;
    localparam logic [1:0] ANSWER = 2'd1;
    localparam logic [1:0] SEARCH = 2'd2;

    logic [WIDTH-1:0]  entries [WANTS];     // a ring
    logic [NUMBER-1:0] first;
    logic [NUMBER:0]   count, index, kept;
    state_t            state;
    logic [1:0]        operation;
    logic [WIDTH-1:0]  entry, key;
    logic [15:0]       entry_record, entry_session, key_record, key_session;
    logic [31:0]       entry_rank, entry_context, entry_tag, key_rank, key_context, key_tag;
    logic              meet, sender, write, last;
    logic [NUMBER-1:0] write_at;
    logic [WIDTH-1:0]  write_data;

    assign {entry_record, entry_session, entry_rank, entry_context, entry_tag} = entry;
    assign {key_record, key_session, key_rank, key_context, key_tag} = key;
    assign meet   = entry_tag == key_tag || entry_tag == cclo_pkg::TAG_ANY || key_tag == cclo_pkg::TAG_ANY;
    assign sender = entry_session == key_session && entry_rank == key_rank
        && (entry_context == key_context || key_context == '0);
    assign last   = index + 1'b1 == count;
    assign found_record = entry_record;

    // Removing moves those that are kept closer together.
    always_comb begin
        write      = 1'b0;
        write_at   = first + kept[NUMBER-1:0];
        write_data = entry;
        if (state == READ && operation == ADD && index == count) begin
            write      = 1'b1;
            write_at   = first + count[NUMBER-1:0];
            write_data = key;
        end else if (state == COMPARE && operation == ANSWER) begin
            write = kept != index && !(entry_record == key_record && meet);
        end
    end

    always_ff @(posedge clk) begin
        entry <= entries[first + index[NUMBER-1:0]];
        if (write) entries[write_at] <= write_data;
    end

    always_ff @(posedge clk) begin
        done <= 1'b0;
        case (state)
            READ: if (index == count) begin
                found <= operation == ADD;
                done  <= 1'b1;
                state <= IDLE;
                if (operation == ADD && count == (NUMBER + 1)'(WANTS)) first <= first + 1'b1;
                else if (operation == ADD) count <= count + 1'b1;
            end else state <= COMPARE;
            COMPARE: case (operation)
                ADD: if (entry == key) begin
                    found <= 1'b0;
                    done  <= 1'b1;
                    state <= IDLE;
                end else begin
                    index <= index + 1'b1;
                    state <= READ;
                end
                ANSWER: begin
                    index <= index + 1'b1;
                    if (!(entry_record == key_record && meet)) kept <= kept + 1'b1;
                    if (last) begin
                        count <= entry_record == key_record && meet ? kept : kept + 1'b1;
                        done  <= 1'b1;
                    end
                    state <= last ? IDLE : READ;
                end
                default: if (sender && meet) begin
                    found <= 1'b1;
                    done  <= 1'b1;
                    state <= IDLE;
                end else begin
                    index <= index + 1'b1;
                    state <= READ;
                end
            endcase
            default: begin end
        endcase
        if (step) begin
            index <= index + 1'b1;
            state <= READ;
        end
        if (add || answer || start) begin
            key       <= {record, session, rank, context_, tag};
            operation <= add ? ADD : answer ? ANSWER : SEARCH;
            index     <= '0;
            kept      <= '0;
            state     <= READ;
        end
        if (rst || clear) begin
            state <= IDLE;
            done  <= 1'b0;
            first <= '0;
            count <= '0;
        end
    end

endmodule

`default_nettype wire
