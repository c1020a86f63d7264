// A receive that waits for its next messages: they go straight to where its result
// belongs. There is one at a time. It ends with its last byte, or with anything else
// of its sender; when all that was let in has been written, its move is told.
`default_nettype none

module posted_receive (
    input  wire                             clk,
    input  wire                             rst,
    input  wire                             clear,

    // A move asks for a message; it is posted if there is none.
    input  wire                             ask,
    input  wire engine_pkg::post_t          ask_post,
    input  wire                             add,
    input  wire  [engine_pkg::QUEUES-1:0]   add_owner,
    input  wire  [engine_pkg::QUEUES-1:0]   cancels,     // of these the post ends, and later bytes are dropped
    output logic [engine_pkg::QUEUES-1:0]   posted,
    output logic                            landed,      // the post has ended
    output logic [31:0]                     landed_bytes,
    output logic [31:0]                     landed_code,

    // What is asked for, or the message that wants to come in.
    input  wire  [15:0]                     session,
    input  wire  [31:0]                     src,
    input  wire  [31:0]                     seq,
    input  wire  [31:0]                     context_,
    input  wire  [31:0]                     tag,
    input  wire engine_pkg::collective_t    collective,
    input  wire  [31:0]                     count,
    input  wire  [15:0]                     record,
    output logic                            suits,       // from two cycles later on
    input  wire                             take,        // it goes there
    input  wire                             other,       // it goes elsewhere
    output logic [63:0]                     address,
    output logic                            host,
    output logic [engine_pkg::EPOCH_WIDTH-1:0] epoch,
    output logic                            open,        // bytes of what was let in are written

    // inbound: a message has been written, or what came of it is all.
    input  wire                             inbound_busy, // perhaps with bytes of the post
    input  wire                             written_valid,
    output logic                            written_ready,
    input  wire                             written_good,
    input  wire  [31:0]                     written_code,

    // The message is counted.
    output logic                            count_valid,
    input  wire                             count_begun,
    input  wire                             counts,      // another message, of the record
    output logic [15:0]                     count_record,
    output logic [15:0]                     count_session,
    output logic [31:0]                     count_src,
    output logic [31:0]                     count_context,
    output logic [31:0]                     count_tag
);

    engine_pkg::post_t                 offer;
    logic                              valid, full, cancelled, settled;
    logic [engine_pkg::QUEUES-1:0]     owner;
    logic [31:0]                       next, left, bytes, last; // bytes: let in; last: of the last message
    logic [7:0]                        coming;                  // messages that were let in and not counted
    engine_pkg::collective_t           of;
    logic                              lost, of_sender, fit, meets;

    assign suits         = fit && !full;
    assign posted        = valid ? owner : '0;
    assign open          = valid && !cancelled;
    assign written_ready = !count_valid;
    assign lost          = written_valid && written_ready && !written_good && written_code == '0;
    assign meets         = tag == count_tag || tag == cclo_pkg::TAG_ANY || count_tag == cclo_pkg::TAG_ANY;
    assign landed        = valid && full && coming == '0 && (!cancelled || settled);
    assign landed_bytes  = bytes;

    always_ff @(posedge clk) begin
        of_sender <= valid && session == count_session && src == count_src;
        fit       <= valid && session == count_session && src == count_src && seq == next
            && context_ == count_context && meets && (!context_[0] || collective == of)
            && count != '0 && count <= left && coming != '1;

        if (ask) begin
            offer         <= ask_post;
            offer.offered <= ask_post.offered && !valid;
        end
        if (add && offer.offered) begin
            valid         <= 1'b1;
            full          <= 1'b0;
            cancelled     <= 1'b0;
            settled       <= 1'b0;
            owner         <= add_owner;
            address       <= offer.address;
            host          <= offer.host;
            left          <= offer.bytes;
            bytes         <= '0;
            next          <= seq;
            count_record  <= record;
            count_session <= session;
            count_src     <= src;
            count_context <= context_;
            count_tag     <= tag;
            of            <= collective;
            landed_code   <= '0;
            coming        <= '0;
            epoch         <= epoch + 1'b1;
        end else begin
            if (take) begin
                next    <= next + 1'b1;
                address <= address + 64'(count);
                left    <= left - count;
                bytes   <= bytes + count;
                last    <= count;
            end
            if (take && (engine_pkg::LOSSY || count == left) || other && of_sender
                || counts && record == count_record) full <= 1'b1;
            coming <= coming + 8'(take) - 8'(count_begun || lost);
            if (written_valid && written_ready) begin
                count_valid <= !lost;
                if (lost) bytes <= bytes - last; // what comes in order has none behind it
                if (!written_good) begin
                    full        <= 1'b1;
                    landed_code <= landed_code | written_code;
                end
            end
            // What is dropped has been received: the sender goes on behind it.
            if ((cancels & owner) != '0 && valid) begin
                full      <= 1'b1;
                cancelled <= 1'b1;
                settled   <= cancelled && (settled || !inbound_busy && !written_valid);
                if (settled && coming != '0) count_valid <= 1'b1;
            end
            if (count_begun) count_valid <= 1'b0;
            if (landed) valid <= 1'b0;
        end
        if (rst || clear) begin
            valid       <= 1'b0;
            count_valid <= 1'b0;
        end
    end

endmodule

`default_nettype wire
