// Makes streams of what lies in slots: jobs one after the other, a beat a cycle,
// without a gap between jobs, but for rows that are not there yet. The memory
// answers a cycle after an address; the beat comes a cycle later. A job that goes
// over the end of its slot begins in front of it: it has a row of anything first.
`default_nettype none

module slot_reader #(
    parameter int unsigned SIDE = 1 // bits that go with a job
) (
    input  wire                                 clk,
    input  wire                                 rst,

    input  wire                                 job_valid,
    output logic                                job_ready,
    input  wire  [engine_pkg::SLOT_WIDTH-1:0]   job_slot,
    input  wire  [engine_pkg::ROW_WIDTH-1:0]    job_row,   // that it begins with
    input  wire  [engine_pkg::LENGTH_WIDTH-1:0] job_bytes, // 1 at least
    input  wire  [SIDE-1:0]                     job_side,

    output logic                                read,
    output logic [engine_pkg::SLOT_WIDTH-1:0]   read_slot,
    output logic [engine_pkg::ROW_WIDTH-1:0]    read_row,
    output logic [SIDE-1:0]                     read_side,
    output logic                                read_last, // of its job
    input  wire                                 absent,    // the row of the slot is not there yet
    input  wire  [engine_pkg::DATA_WIDTH-1:0]   read_data,

    output logic                                out_valid,
    input  wire                                 out_ready,
    output logic [engine_pkg::DATA_WIDTH-1:0]   out_data,
    output logic [engine_pkg::KEEP_WIDTH-1:0]   out_keep,
    output logic                                out_last,
    output logic [SIDE-1:0]                     out_side
);

    localparam int unsigned BEAT   = $clog2(engine_pkg::KEEP_WIDTH);
    localparam int unsigned BEATS  = engine_pkg::LENGTH_WIDTH - BEAT;
    localparam int unsigned DEPTH  = 8;
    localparam int unsigned AROUND = 1 + BEAT + SIDE; // that is known when a row is asked for

    logic             active;
    logic [BEATS-1:0] left;     // beats behind this one
    logic [BEAT-1:0]  end_;     // last byte of the last beat
    logic [3:0]       credits;  // beats that may be asked for
    logic             coming;   // the last cycle asked
    logic             in_front;// the row in front of the slot

    logic [AROUND-1:0] around;
    logic [BEAT-1:0]   next_end;
    logic              pushed;  // always: there are credits
    logic              waiting, moves;
    logic [engine_pkg::DATA_WIDTH+AROUND-1:0] oldest, next;
    logic [3:0]        count;
    logic [engine_pkg::LENGTH_WIDTH-1:0] job_end;

    assign in_front  = read_row == '1 && !read_last;
    assign read      = active && credits != 0 && (!absent || in_front);
    assign read_last = left == 0;
    assign job_ready = !active || read && read_last;
    assign job_end   = job_bytes - 1'b1;

    always_ff @(posedge clk) begin
        if (rst) begin
            active  <= 1'b0;
            coming  <= 1'b0;
            credits <= 4'(DEPTH);
        end else begin
            if (job_ready) active <= job_valid;
            coming  <= read;
            credits <= credits - 4'(read) + 4'(out_valid && out_ready);
        end
        if (job_ready) begin
            read_slot <= job_slot;
            read_row  <= job_row;
            read_side <= job_side;
            {left, end_} <= job_end;
        end else if (read) begin
            read_row <= read_row + 1'b1;
            left     <= left - 1'b1;
        end
        around <= {read_last, read_last ? end_ : '1, read_side};
    end

    // A beat that nothing waits before goes out as it comes.
    fifo #(.WIDTH(engine_pkg::DATA_WIDTH + AROUND), .DEPTH(DEPTH)) beats (
        .clk, .rst, .clear(1'b0),
        .in_valid(coming && (waiting || !moves)), .in_ready(pushed), .in_data({read_data, around}),
        .out_valid(waiting), .out_ready(moves), .out_data(oldest), .count
    );
    assign moves    = out_ready || !out_valid;
    assign next     = waiting ? oldest : {read_data, around};
    assign next_end = next[SIDE +: BEAT];

    always_ff @(posedge clk) begin
        if (rst) out_valid <= 1'b0;
        else if (moves) out_valid <= waiting || coming;
        if (moves) begin
            out_data <= next[AROUND +: engine_pkg::DATA_WIDTH];
            out_last <= next[AROUND-1];
            out_side <= next[SIDE-1:0];
            out_keep <= ~({engine_pkg::KEEP_WIDTH{1'b1}} << 1 << next_end);
        end
    end

    wire unused = &{1'b0, pushed, count};

endmodule

`default_nettype wire
