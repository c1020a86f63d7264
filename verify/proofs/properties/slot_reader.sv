`default_nettype none

// What stands in a row of the memory is its place.
module proof (
    input wire       clk,
    input wire       rst,
    input wire       job_valid,
    input wire       job_slot,
    input wire [2:0] job_row,
    input wire [6:0] job_bytes,
    input wire       job_side,
    input wire       absent,
    input wire       out_ready
);

    localparam BYTES = 8; // of a row
    localparam ROWS  = 8; // of a slot
    localparam ROOM  = 8; // rows that the block keeps

    wire       job_ready, read, read_last, out_valid, out_last, started;
    wire       read_slot, read_side, out_side;
    wire [2:0] read_row;
    wire [3:0] out_data;
    wire [7:0] out_keep;

    reg  [3:0] read_data;
    always @(posedge clk) read_data <= {read_slot, read_row};

    slot_reader #(.SIDE(1)) dut (.*);

    begins beginning (.*);
    stays_outside #(.WIDTH(12)) jobs (
        .clk, .rst, .valid(job_valid), .ready(job_ready), .data({job_slot, job_row, job_bytes, job_side})
    );
    stays #(.WIDTH(14)) out (
        .clk, .rst, .valid(out_valid), .ready(out_ready), .data({out_data, out_keep, out_last, out_side})
    );

    // Rows that are asked for: those of the job, in order, to the last one.
    reg         busy, side, slot;
    reg  [2:0]  row;
    reg  [6:0]  left;   // bytes
    wire        takes = job_valid && job_ready;
    wire        ends  = left <= BYTES;
    always @(posedge clk) begin
        if (read) begin
            row  <= row + 1'b1;
            left <= left - BYTES;
            if (ends) busy <= 1'b0;
        end
        if (takes) begin
            busy <= 1'b1;
            {slot, row, left, side} <= {job_slot, job_row, job_bytes, job_side};
        end
        if (rst) busy <= 1'b0;
    end

    wire [7:0] keep = ends ? ~(8'hFF << left) : 8'hFF;
    wire       pop  = out_valid && out_ready;
    wire [3:0] inside, ahead;
    wire        watched;
    wire [13:0] data;
    in_order #(.WIDTH(14), .CAPACITY(ROOM), .COUNT(4)) beats (
        .clk, .rst, .push(read), .in_data({slot, row, keep, ends, side}),
        .pop, .out_data({out_data, out_keep, out_last, out_side}),
        .inside, .watched, .ahead, .data
    );

    // A beat is there two cycles after its row was asked for.
    reg asked;
    always @(posedge clk) asked <= read && !rst;

    // The row in front of a slot is none of its own.
    wire in_front = row == ROWS - 1 && !ends;

    always @* begin
        assume (job_bytes != 0 && job_bytes <= ROWS * BYTES);
        if (started && !rst) begin
            if (read) asks_for_a_job: assert (busy && read_slot == slot && read_row == row && read_side == side);
            if (read) knows_the_last: assert (read_last == ends);
            takes_between: assert (job_ready == (!busy || read && ends));
            if (read) is_there: assert (!absent || in_front);
            if (busy && inside < ROOM && (!absent || in_front)) no_gaps: assert (read);
            comes_soon: assert (out_valid == (inside != asked));
            from_the_front: cover (read && absent && row == ROWS - 1);
            back_to_back: cover (takes && read);
            fills_up: cover (inside == ROOM);
            whole_job: cover (pop && out_last && out_keep == 8'h07 && out_data[2:0] == 3);
        end
    end

`ifdef INVARIANTS
    (* hierconn *) wire       \dut.active ;
    (* hierconn *) wire [3:0] \dut.credits ;
    (* hierconn *) wire       \dut.coming ;
    (* hierconn *) wire [3:0] \dut.left ;
    (* hierconn *) wire [2:0] \dut.end_ ;
    (* hierconn *) wire [4:0] \dut.around ;
    (* hierconn *) wire [3:0] \dut.beats.count ;
    (* hierconn *) wire [2:0] \dut.beats.head ;
    (* hierconn *) wire [2:0] \dut.beats.tail ;
    (* hierconn *) wire [8:0] \dut.beats.memory[0] ;
    (* hierconn *) wire [8:0] \dut.beats.memory[1] ;
    (* hierconn *) wire [8:0] \dut.beats.memory[2] ;
    (* hierconn *) wire [8:0] \dut.beats.memory[3] ;
    (* hierconn *) wire [8:0] \dut.beats.memory[4] ;
    (* hierconn *) wire [8:0] \dut.beats.memory[5] ;
    (* hierconn *) wire [8:0] \dut.beats.memory[6] ;
    (* hierconn *) wire [8:0] \dut.beats.memory[7] ;
    // Where the watched beat is: at the output, in the queue, or with the memory.
    wire [3:0] behind = ahead - out_valid;
    wire [2:0] at = \dut.beats.head + behind[2:0];
    reg  [8:0] there;
    always @* begin
        case (at)
            3'd0: there = \dut.beats.memory[0] ;
            3'd1: there = \dut.beats.memory[1] ;
            3'd2: there = \dut.beats.memory[2] ;
            3'd3: there = \dut.beats.memory[3] ;
            3'd4: there = \dut.beats.memory[4] ;
            3'd5: there = \dut.beats.memory[5] ;
            3'd6: there = \dut.beats.memory[6] ;
            default: there = \dut.beats.memory[7] ;
        endcase
        if (behind >= \dut.beats.count ) there = {read_data, \dut.around };
    end
    // As the block keeps it: place, last, end and side.
    wire [2:0] end_ = there[3:1];
    always @* if (started && !rst) begin
        assert (busy == \dut.active );
        if (busy) assert (left != 0 && left <= ROWS * BYTES && left == {\dut.left , \dut.end_ } + 7'd1);
        if (busy) assert (read_slot == slot && read_row == row && read_side == side);
        assert (\dut.coming == asked);
        assert (out_valid || \dut.beats.count == 0);
        assert (\dut.beats.count <= ROOM && \dut.beats.tail == 3'(\dut.beats.head + \dut.beats.count ));
        assert (inside == out_valid + \dut.beats.count + asked);
        assert (\dut.credits == ROOM - inside);
        if (watched && out_valid && ahead == 0) assert ({out_data, out_keep, out_last, out_side} == data);
        else if (watched) assert ({there[8:5], ~(8'hFE << end_), there[4], there[0]} == data);
    end
`endif

endmodule

`default_nettype wire
