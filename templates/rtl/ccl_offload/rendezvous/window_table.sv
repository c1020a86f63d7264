// Rendezvous windows: which bytes remote ranks may write, and how much has
// arrived. One operation at a time.
//
// Packets of a window are numbered. Of those behind the first one that is
// missing 63 are noted: seen when they are let in, there when memory has them.
`default_nettype none

module window_table (
    input  wire          clk,
    input  wire          rst,
    input  wire          clear,
    output logic         idle,

    input  wire          start,
    input  wire  [2:0]   operation,
    input  wire  [4:0]   window,       // open, shut, read, query, written
    input  wire  [15:0]  session,      // open, data, finished, number: of the sender
    input  wire  [31:0]  src,          // open, data, finished
    input  wire  [31:0]  context_,     // open, data, finished
    input  wire  [31:0]  collective,   // open, data, finished: its number, counts where the window's context is odd
    input  wire  [31:0]  tag,          // data, finished; number: of the announcement
    input  wire  [63:0]  address,      // open, query, data, finished, number
    input  wire  [31:0]  bytes,        // open, data, finished, written
    input  wire          host,         // open, data, finished, number
    input  wire  [31:0]  index,        // data, written: of the packet
    input  wire  [2:0]   epoch,        // written
    // open: there is a sender; written: memory has it; finished: memory has everything
    input  wire          good,

    output logic         done,
    output logic         found,        // query, data, finished: there is such a window
    output logic         wanted,       // data: the packet is to be written
    output logic [4:0]   found_window, // data
    output logic [2:0]   found_epoch,  // data
    output logic [31:0]  found_bytes,  // query, read
    output logic         found_host,   // query
    output logic         more,         // query: others may come
    output logic         complete,     // read: all has arrived

    output logic [31:0]  windows_open,
    output logic [95:0]  windows_epoch, // of those that are open

    output logic         changed,      // a pulse: more can be read, or will not be
    output logic         completed     // a pulse: a window is complete
);

    localparam int unsigned WINDOWS = 2**engine_pkg::WINDOW_WIDTH;
    localparam int unsigned FIXED   = 16 + 32 + 32 + 32 + 64 + 65 + 32 + 1;
    localparam int unsigned STATE   = 32 + 32 + 32 + 1 + 32 + 3 + 64 + 64;
    localparam int unsigned LENGTH  = engine_pkg::LENGTH_WIDTH;

    localparam logic [2:0] OPEN     = 3'd0;
    localparam logic [2:0] SHUT     = 3'd1;
    localparam logic [2:0] READ     = 3'd2;
    localparam logic [2:0] QUERY    = 3'd3;
    localparam logic [2:0] DATA     = 3'd4;
    localparam logic [2:0] WRITTEN  = 3'd5;
    localparam logic [2:0] FINISHED = 3'd6;
    localparam logic [2:0] NUMBER   = 3'd7;

    typedef enum logic [2:0] {
        IDLE,
        NEXT,         // window to look at
        FETCH,
        WORK,
        ANSWER,       // query
        FOLLOW,       // count packets that are there already
        FOLLOW_BYTES,
        STORE
    } state_t;

    logic [FIXED-1:0]   fixed [WINDOWS];
    logic [STATE-1:0]   states [WINDOWS];
    logic [LENGTH-1:0]  lengths [64 * WINDOWS];
    logic [WINDOWS-1:0] opened, ended_well;

    state_t             state;
    logic [2:0]         op;
    logic [4:0]         at, last, second;    // second: the best window by where data end
    logic [WINDOWS-1:0] left;                // windows to look at
    logic               last_first, second_valid, applying;

    // The operation.
    logic [15:0]        of_session;
    logic [31:0]        of_src, of_context, of_collective, of_tag, of_bytes, of_index;
    logic [63:0]        of_address, of_begin;
    logic [64:0]        of_end;
    logic               of_host, of_good;
    logic [2:0]         of_epoch;

    // The window.
    logic [FIXED-1:0]   fixed_read;
    logic [STATE-1:0]   state_read, state_next;
    logic [15:0]        w_session;
    logic [31:0]        w_src, w_context, w_collective, w_bytes;
    logic [63:0]        w_address;
    logic [64:0]        w_end;
    logic               w_host;
    logic [31:0]        w_next, w_arrived, w_total, w_transfer;
    logic               w_ended;
    logic [2:0]         w_epoch;
    logic [63:0]        w_seen, w_there;

    // Its state while it changes.
    logic [31:0]        next_packet, arrived, total, transfer;
    logic               ended;
    logic [2:0]         new_epoch;
    logic [63:0]        seen, there, offset;
    logic [LENGTH-1:0]  length;
    logic [31:0]        distance, readable;
    logic               from_sender, answers, fits, full;
    logic [WINDOWS-1:0] present;
    logic [4:0]         first_left;

    assign {w_session, w_src, w_context, w_collective, w_address, w_end, w_bytes, w_host} = fixed_read;
    assign {w_next, w_arrived, w_total, w_ended, w_transfer, w_epoch, w_seen, w_there} = state_read;
    assign state_next = {next_packet, arrived, total, ended, transfer, new_epoch, seen, there};

    assign idle         = state == IDLE;
    assign windows_open = opened;
    assign present     = WINDOWS'(1) << at;
    assign from_sender = w_session == of_session && w_src == of_src && (w_context == of_context || of_context == '0)
        && (w_collective == of_collective || !w_context[0]);
    assign answers     = !engine_pkg::LOSSY || w_transfer == of_tag;
    assign fits        = of_address >= w_address && of_end <= w_end && w_host == of_host;
    assign distance    = of_index - w_next;
    assign readable    = engine_pkg::STACK_RDMA && !ended_well[at] ? '0 : w_arrived;
    assign full        = ended && arrived == total && there == '0;

    always_comb begin
        first_left = '0;
        for (int i = WINDOWS - 1; i >= 0; i = i - 1) if (left[i]) first_left = 5'(i);
    end

    always_ff @(posedge clk) begin
        fixed_read <= fixed[at];
        state_read <= states[at];
        length     <= lengths[{at, next_packet[5:0]}];
        if (state == WORK && op == OPEN)
            fixed[at] <= {
                of_session, of_src, of_context, of_collective,
                of_address, {1'b0, of_address} + 65'(of_bytes), of_bytes, of_host
            };
        if (state == STORE) states[at] <= state_next;
        for (int i = 0; i < WINDOWS; i = i + 1)
            if (state == WORK && op == OPEN && at == 5'(i)) windows_epoch[3*i +: 3] <= w_epoch + 1'b1;
        if (state == WORK && op == WRITTEN && w_epoch == of_epoch) lengths[{at, of_index[5:0]}] <= of_bytes[LENGTH-1:0];
    end

    always_ff @(posedge clk) begin
        done      <= 1'b0;
        changed   <= 1'b0;
        completed <= 1'b0;
        case (state)
            IDLE: if (start) begin
                op            <= operation;
                of_session    <= session;
                of_src        <= src;
                of_context    <= context_;
                of_collective <= collective;
                of_tag        <= tag;
                of_address    <= address;
                of_bytes      <= bytes;
                of_host       <= host;
                of_index      <= index;
                of_epoch      <= epoch;
                of_good       <= good;
                found         <= 1'b0;
                wanted        <= 1'b0;
                second_valid  <= 1'b0;
                applying      <= 1'b0;
                at            <= operation == DATA ? last : window;
                left          <= opened;
                last_first    <= operation == DATA && opened[last];
                state         <= operation == FINISHED || operation == NUMBER || operation == DATA && !opened[last]
                    ? NEXT
                    : FETCH;
            end
            NEXT: begin
                at         <= left == '0 ? second : first_left;
                last_first <= 1'b0;
                applying   <= left == '0;
                done       <= left == '0 && !second_valid;
                state      <= left != '0 || second_valid ? FETCH : IDLE;
            end
            FETCH: begin
                of_begin <= of_address - 64'(of_bytes);
                of_end   <= {1'b0, of_address} + 65'(of_bytes);
                state    <= WORK;
            end
            WORK: begin
                next_packet  <= w_next;
                arrived      <= w_arrived;
                total        <= w_total;
                ended        <= w_ended;
                transfer     <= w_transfer;
                new_epoch    <= w_epoch;
                seen         <= w_seen;
                there        <= w_there;
                found_window <= at;
                found_epoch  <= w_epoch;
                found_host   <= w_host;
                found_bytes  <= readable;
                more         <= opened[at];
                complete     <= ended_well[at];
                offset       <= of_address - w_address;
                if (!last_first) left <= left & ~present;
                case (op)
                    OPEN: begin
                        next_packet    <= '0;
                        arrived        <= '0;
                        total          <= '0;
                        ended          <= 1'b0;
                        transfer       <= '0;
                        new_epoch      <= w_epoch + 1'b1;
                        seen           <= '0;
                        there          <= '0;
                        opened[at]     <= of_good;
                        ended_well[at] <= 1'b0;
                        changed        <= 1'b1;
                        state          <= STORE;
                    end
                    SHUT: begin
                        opened[at]     <= 1'b0;
                        ended_well[at] <= 1'b0;
                        changed        <= 1'b1;
                        done           <= 1'b1;
                        state          <= IDLE;
                    end
                    READ: begin
                        if (!opened[at] && !ended_well[at]) found_bytes <= '0;
                        done  <= 1'b1;
                        state <= IDLE;
                    end
                    QUERY: state <= ANSWER;
                    DATA: if (from_sender && answers && fits) begin
                        last  <= at;
                        found <= distance[31] || distance < 32'd64;
                        if (!distance[31] && distance < 32'd64 && !w_seen[of_index[5:0]]) begin
                            wanted              <= 1'b1;
                            seen[of_index[5:0]] <= 1'b1;
                            state               <= STORE;
                        end else begin
                            done  <= 1'b1;
                            state <= IDLE;
                        end
                    end else state <= NEXT;
                    WRITTEN: if (!opened[at] || w_epoch != of_epoch) begin
                        done  <= 1'b1;
                        state <= IDLE;
                    end else begin
                        seen[of_index[5:0]]  <= of_good;
                        there[of_index[5:0]] <= of_good;
                        state                <= of_good ? FOLLOW : STORE;
                    end
                    FINISHED:
                        if (applying
                                || from_sender && answers && !w_ended && w_host == of_host
                                    && of_bytes <= w_bytes && w_address == of_address) begin
                        found <= 1'b1;
                        ended <= 1'b1;
                        total <= of_bytes;
                        if (of_good) arrived <= of_bytes;
                        if (of_good) there <= '0;
                        state <= STORE;
                    end else begin
                        if (from_sender && answers && !w_ended && w_host == of_host
                                && of_bytes <= w_bytes && w_address == of_begin) begin
                            second       <= at;
                            second_valid <= 1'b1;
                        end
                        state <= NEXT;
                    end
                    default: begin
                        transfer <= of_tag;
                        state    <= w_session == of_session && w_address == of_address && w_host == of_host ? STORE
                            : NEXT;
                    end
                endcase
            end
            ANSWER: begin
                found       <= (more || complete) && of_address >= w_address && offset <= 64'(w_bytes);
                found_bytes <= offset < 64'(found_bytes) ? found_bytes - offset[31:0] : '0;
                done        <= 1'b1;
                state       <= IDLE;
            end
            FOLLOW: state <= there[next_packet[5:0]] ? FOLLOW_BYTES : STORE;
            FOLLOW_BYTES: begin
                there[next_packet[5:0]] <= 1'b0;
                seen[next_packet[5:0]]  <= 1'b0;
                next_packet             <= next_packet + 1'b1;
                arrived                 <= arrived + 32'(length);
                changed                 <= 1'b1;
                state                   <= FOLLOW;
            end
            default: begin // STORE
                if (op != OPEN && op != NUMBER && op != DATA && full) begin
                    opened[at]     <= 1'b0;
                    ended_well[at] <= 1'b1;
                    changed        <= 1'b1;
                    completed      <= 1'b1;
                end
                done  <= op != NUMBER;
                state <= op == NUMBER ? NEXT : IDLE;
            end
        endcase
        if (rst || clear) begin
            opened     <= '0;
            ended_well <= '0;
        end
        if (rst) begin
            state <= IDLE;
            last  <= '0;
        end
    end

endmodule

`default_nettype wire
