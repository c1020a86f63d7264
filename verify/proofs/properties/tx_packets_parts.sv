`default_nettype none

// The parts of tx_packets that say which packet goes when, and its memory. They
// do whatever they may by what is proved of each alone.

module packet_table #(
    parameter SLOTS = 2,
    parameter TAG   = 2,
    parameter LIMIT = 2
) (
    input  wire                     clk, rst,
    input  wire [SLOTS-1:0]         forget, cut,
    input  wire                     query,
    input  wire [TAG-1:0]           query_tag,
    (* anyseq *) output wire        query_room, query_none,
    (* anyseq *) output wire [SLOTS-1:0] same,
    output wire                     free_valid,
    (* anyseq *) output wire        few,
    (* anyseq *) output wire [$clog2(SLOTS)-1:0] free_slot,
    input  wire                     open,
    input  wire [TAG-1:0]           open_tag,
    input  wire                     commit,
    input  wire [$clog2(SLOTS)-1:0] commit_slot,
    input  wire                     leave,
    input  wire [$clog2(SLOTS)-1:0] leave_slot,
    input  wire [SLOTS-1:0]         release_,
    output reg  [SLOTS-1:0]         used,
    (* anyseq *) output wire [SLOTS-1:0] queued, front
);

    assign free_valid = used != {SLOTS{1'b1}};
    always @(posedge clk) used <= rst ? 0 : (used | (open ? 1'b1 << free_slot : 1'b0)) & ~forget & ~release_;
    always @* if (free_valid) assume (!used[free_slot]);

endmodule

module tx_commit (
    input  wire        clk, rst,
    input  wire        packet_commit_valid,
    (* anyseq *) output wire packet_commit_ready,
    input  wire        packet_commit_slot,
    input  wire        packet_commit_good,
    input  wire        packet_abandon_valid,
    (* anyseq *) output wire packet_abandon_ready,
    input  wire [1:0]  used,
    input  wire        free_valid,
    input  wire        free_slot,
    (* anyseq *) output wire take_free,
    (* anyseq *) output wire slot,
    input  wire        counted, numbered,
    input  wire [31:0] record,
    (* anyseq *) output wire [66:0] exchange_request,
    input  wire [33:0] exchange_response,
    (* anyseq *) output wire number_valid,
    input  wire        number_done,
    input  wire [31:0] number_value,
    (* anyseq *) output wire number_take,
    (* anyseq *) output wire [31:0] number_taken,
    (* anyseq *) output wire enter, mark, give_back, idle
);

    always @* if (take_free) assume (free_valid);

endmodule

module tx_schedule #(
    parameter TAG = 2
) (
    input  wire        clk, rst, go, loop_room,
    (* anyseq *) output wire idle,
    input  wire [1:0]  queued, front, to_self, marks, doomed, closed,
    (* anyseq *) output wire [1:0] asked,
    (* anyseq *) output wire leave,
    (* anyseq *) output wire leave_slot, give_back, send,
    (* anyseq *) output wire packet_slot,
    input  wire engine_pkg::packet_t packet,
    (* anyseq *) output wire ask_valid,
    input  wire        ask_ready,
    (* anyseq *) output wire ask_slot,
    (* anyseq *) output wire [15:0] ask_session,
    (* anyseq *) output wire [6:0] ask_bytes,
    (* anyseq *) output wire ask_written,
    (* anyseq *) output wire [63:0] ask_vaddr,
    (* anyseq *) output wire [7:0] ask_host,
    input  wire        answer_valid, answer_slot, answer_good,
    (* anyseq *) output wire job_valid, job_slot, job_row,
    (* anyseq *) output wire [6:0] job_bytes,
    (* anyseq *) output wire job_fill, job_filler, job_self,
    (* anyseq *) output wire [15:0] job_session,
    input  wire        job_done,
    input  wire        own_valid,
    input  wire [0:0]  own_session,
    input  wire        clear_valid,
    (* anyseq *) output wire clear_ready,
    input  wire [1:0]  clear_tag
);

    always @* begin
        assume (send == (job_valid && !job_fill) && !(send && give_back));
        if (job_valid) assume (asked[job_slot] && leave_slot == job_slot && job_bytes != 0 && job_bytes <= 64);
    end

endmodule

// A row is its place; of what replaces it any one bit is looked at.
module slot_memory (
    input  wire         clk,
    input  wire         write, write_slot,
    input  wire [2:0]   write_row,
    input  wire [511:0] write_data,
    input  wire [7:0]   write_strobe,
    input  wire         read, read_slot,
    input  wire [2:0]   read_row,
    input  wire         replace,
    input  wire [511:0] replace_data,
    output wire [511:0] read_data
);

    (* anyconst *) wire [8:0] which;
    reg [4:0] row;
    assign read_data = {507'd0, row};
    always @(posedge clk)
        row <= replace ? {1'b1, &replace_data, 2'b00, replace_data[which]} : {1'b0, read_slot, read_row};

endmodule

`default_nettype wire
