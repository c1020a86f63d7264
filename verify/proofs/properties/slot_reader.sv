`default_nettype none

module proof (
    input wire        clk,
    input wire        rst,
    input wire        job_valid,
    input wire [4:0]  job_slot,
    input wire [5:0]  job_row,
    input wire [12:0] job_bytes,
    input wire        job_side,
    input wire        out_ready
);

    wire         job_ready, read, read_last, out_valid, out_last, started;
    wire [4:0]   read_slot;
    wire [5:0]   read_row;
    wire         read_side, out_side;
    wire [511:0] out_data;
    wire [63:0]  out_keep;

    // The memory: what stands in a row is its place.
    reg  [10:0]  place_1, place_2;
    wire [511:0] read_data = {501'd0, place_2};
    always @(posedge clk) {place_2, place_1} <= {place_1, read_slot, read_row};

    slot_reader #(.SIDE(1)) dut (.*);

    begins beginning (.*);
    stays_outside #(.WIDTH(25)) jobs (.clk, .rst, .valid(job_valid), .ready(job_ready), .data({job_slot, job_row, job_bytes, job_side}));
    stays #(.WIDTH(78)) out (.clk, .rst, .valid(out_valid), .ready(out_ready), .data({out_data[10:0], out_keep, out_last, out_side, 1'b0}));

    // Rows that are asked for: those of the job, in order, to the last one.
    reg         busy, side;
    reg  [4:0]  slot;
    reg  [5:0]  row;
    reg  [13:0] left;   // bytes
    wire        takes = job_valid && job_ready;
    always @(posedge clk) begin
        if (read) begin
            row  <= row + 1'b1;
            left <= left - 14'd64;
            if (left <= 64) busy <= 1'b0;
        end
        if (takes) begin
            busy <= 1'b1;
            {slot, row, left, side} <= {job_slot, job_row, 1'b0, job_bytes, job_side};
        end
        if (rst) busy <= 1'b0;
    end

    wire [63:0] keep = left >= 64 ? ~64'd0 : ~(~64'd0 << left);
    wire [6:0]  size = left >= 64 ? 7'd64 : left[6:0];
    wire        pop  = out_valid && out_ready;
    wire [3:0]  inside, ahead;
    wire        watched;
    wire [19:0] data;
    reg  [6:0]  kept;
    integer i;
    always @* begin
        kept = 0;
        for (i = 0; i < 64; i = i + 1) kept = kept + out_keep[i];
    end
    in_order #(.WIDTH(20), .CAPACITY(8), .COUNT(4)) beats (
        .clk, .rst, .push(read), .in_data({slot, row, left <= 64, side, size}),
        .pop, .out_data({out_data[10:0], out_last, out_side, kept}),
        .inside, .watched, .ahead, .data
    );

    // Nothing waits for long: three cycles after a row was asked for a beat is there.
    reg [2:0] had;
    always @(posedge clk) had <= rst ? 0 : {had[1:0], inside > pop};

    always @* begin
        assume (job_bytes != 0 && job_bytes <= 4096);
        if (started && !rst) begin
            if (read) asks_for_a_job: assert (busy && read_slot == slot && read_row == row && read_side == side);
            if (read) knows_the_last: assert (read_last == (left <= 64));
            takes_between: assert (job_ready == (!busy || read && left <= 64));
            if (busy && inside < 8) no_gaps: assert (read);
            if (out_valid) contiguous: assert ((out_keep & (out_keep + 1'b1)) == 0 && out_keep[0]);
            if (had == 3'b111) comes_soon: assert (out_valid || inside == 0);
            back_to_back: cover (takes && read);
            fills_up: cover (inside == 8);
        end
    end

`ifdef INVARIANTS
    (* hierconn *) wire        \dut.active ;
    (* hierconn *) wire [3:0]  \dut.credits ;
    (* hierconn *) wire [1:0]  \dut.coming ;
    (* hierconn *) wire [6:0]  \dut.left ;
    (* hierconn *) wire [5:0]  \dut.end_ ;
    (* hierconn *) wire [7:0]  \dut.around_1 ;
    (* hierconn *) wire [7:0]  \dut.around_2 ;
    (* hierconn *) wire [3:0]  \dut.beats.count ;
    (* hierconn *) wire [2:0]  \dut.beats.head ;
    (* hierconn *) wire [2:0]  \dut.beats.tail ;
    (* hierconn *) wire [519:0] \dut.beats.memory[0] ;
    (* hierconn *) wire [519:0] \dut.beats.memory[1] ;
    (* hierconn *) wire [519:0] \dut.beats.memory[2] ;
    (* hierconn *) wire [519:0] \dut.beats.memory[3] ;
    (* hierconn *) wire [519:0] \dut.beats.memory[4] ;
    (* hierconn *) wire [519:0] \dut.beats.memory[5] ;
    (* hierconn *) wire [519:0] \dut.beats.memory[6] ;
    (* hierconn *) wire [519:0] \dut.beats.memory[7] ;
    // The watched beat as the block keeps it: place, then last, end and side.
    wire [13:0] under_way = 14'(\dut.left ) * 14'd64 + 14'(\dut.end_ ) + 14'd1;
    wire [2:0]  at        = \dut.beats.head + ahead[2:0];
    reg  [18:0] there;
    wire [18:0] wanted    = {data[19:9], data[8], 6'(data[6:0] - 1'b1), data[7]};
    always @* case (at)
        3'd0: there = \dut.beats.memory[0] [18:0];
        3'd1: there = \dut.beats.memory[1] [18:0];
        3'd2: there = \dut.beats.memory[2] [18:0];
        3'd3: there = \dut.beats.memory[3] [18:0];
        3'd4: there = \dut.beats.memory[4] [18:0];
        3'd5: there = \dut.beats.memory[5] [18:0];
        3'd6: there = \dut.beats.memory[6] [18:0];
        default: there = \dut.beats.memory[7] [18:0];
    endcase
    wire [3:0] behind_1 = \dut.beats.count + \dut.coming [1];
    always @* if (started && !rst) begin
        assert (busy == \dut.active );
        if (busy) assert (left != 0 && left <= 4096 && left == under_way && read_slot == slot && read_row == row && read_side == side);
        assert (\dut.beats.count <= 8 && \dut.beats.tail == 3'(\dut.beats.head + \dut.beats.count ));
        assert (inside == \dut.beats.count + \dut.coming [0] + \dut.coming [1]);
        assert (\dut.credits == 8 - inside);
        if (watched && ahead < \dut.beats.count ) assert (there == wanted);
        if (watched && ahead >= \dut.beats.count && ahead < behind_1) assert ({place_2, \dut.around_2 } == wanted);
        if (watched && ahead >= behind_1) assert ({place_1, \dut.around_1 } == wanted);
        if (watched) assert (data[6:0] != 0 && data[6:0] <= 64 && (data[8] || data[6:0] == 64));
    end
`endif

endmodule

`default_nettype wire
