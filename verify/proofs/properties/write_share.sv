`default_nettype none

module proof (
    input wire        clk,
    input wire        rst,
    input wire        kept_due,
    input wire        kept_valid,
    input wire [62:0] kept_place,
    input wire [12:0] kept_bytes,
    input wire        kept_data_valid,
    input wire [1:0]  kept_data,
    input wire        write_valid,
    input wire [62:0] write_place,
    input wire        write_host,
    input wire [12:0] write_bytes,
    input wire        write_data_valid,
    input wire [1:0]  write_data,
    input wire        port_ready,
    input wire        port_data_ready,
    input wire        port_done,
    input wire [31:0] port_code
);

    localparam DEPTH = 2;
    localparam SOON  = 7;

    // The highest bit tells whose a command is.
    wire [63:0] kept_address  = {1'b1, kept_place};
    wire [63:0] write_address = {1'b0, write_place};
    wire [63:0] port_address;
    wire [31:0] kept_code, write_code;
    wire [12:0] port_bytes;
    wire [1:0]  port_data;
    wire        kept_idle, kept_ready, kept_data_ready, kept_done, write_ready, write_data_ready, write_done;
    wire        port_valid, port_host, port_data_valid, started;

    write_share #(.DEPTH(DEPTH)) dut (.*);

    wire [77:0] kept_command  = {1'b0, kept_bytes, kept_address};
    wire [77:0] write_command = {write_host, write_bytes, write_address};
    wire [77:0] port_command  = {port_host, port_bytes, port_address};
    wire        whose         = port_address[63];

    begins beginning (.*);
    stays_outside #(.WIDTH(78)) writes (.clk, .rst, .valid(write_valid), .ready(write_ready), .data(write_command));
    stays_outside #(.WIDTH(2)) write_beats (
        .clk, .rst, .valid(write_data_valid), .ready(write_data_ready), .data(write_data)
    );

    wire begins_kept  = kept_valid && kept_ready;
    wire begins_write = write_valid && write_ready;
    wire begins_port  = port_valid && port_ready;
    wire moves_kept   = kept_data_valid && kept_data_ready;
    wire moves_write  = write_data_valid && write_data_ready;
    wire moves        = port_data_valid && port_data_ready;

    // Commands whose data did not all go, the first one's bytes that have gone, and
    // commands without an answer.
    reg  [1:0]  slices, open;
    reg         kept_0, kept_1, from_0, from_1;
    reg  [12:0] bytes_0, bytes_1, gone;
    wire        last = gone + 14'd64 >= bytes_0;
    wire        ends = moves && last;

    // The command that was offered and not taken, and the beat; the cycles in
    // which beats that are kept have gone.
    reg             held, held_kept, beat_held;
    reg  [77:0]     held_command;
    reg  [1:0]      held_beat;
    reg  [SOON-1:0] recent;
    wire            starts = !held && !kept_valid && write_valid;
    wire            room   = slices < (kept_due ? 1 : 2) && !(kept_due && recent != 0);

    always @(posedge clk) begin
        slices <= slices + begins_port - ends;
        if (ends) {kept_0, bytes_0} <= {kept_1, bytes_1};
        if (begins_port && slices == ends) {kept_0, bytes_0} <= {begins_kept, port_bytes};
        else if (begins_port) {kept_1, bytes_1} <= {begins_kept, port_bytes};
        if (moves) gone <= last ? 0 : gone + 13'd64;
        open <= open + begins_port - port_done;
        if (port_done) from_0 <= from_1;
        if (begins_port && open == port_done) from_0 <= begins_kept;
        else if (begins_port) from_1 <= begins_kept;
        held         <= port_valid && !port_ready;
        held_kept    <= whose;
        held_command <= port_command;
        beat_held    <= port_data_valid && !port_data_ready;
        held_beat    <= port_data;
        recent       <= {recent[SOON-2:0], moves_kept};
        if (rst) {slices, gone, open, held, beat_held, recent} <= 0;
    end

    always @* begin
        assume (write_bytes != 0 && kept_bytes != 0);
        if (held && held_kept && kept_valid) assume (kept_command == held_command);
        if (open == DEPTH) assume (!port_ready);
        if (port_done) assume (open > slices);
        if (started && !rst) begin
            one_begins: assert ((begins_kept || begins_write) == begins_port && !(begins_kept && begins_write));
            if (begins_kept) kept_unchanged: assert (port_command == kept_command);
            if (begins_write) write_unchanged: assert (port_command == write_command);
            if (port_valid)
                offered:
                    assert (whose ? kept_valid && port_command == kept_command
                        : write_valid && port_command == write_command);
            if (held && !held_kept) write_stays: assert (port_valid && port_command == held_command);
            if (held && held_kept && kept_valid) kept_stays: assert (port_valid && port_command == held_command);
            if (held && held_kept && !kept_valid) withdrawn: assert (!port_valid);
            if (!held && kept_valid) kept_first: assert (port_valid && whose);
            if (starts) arrivals_by_room: assert (port_valid == room);
            if (!kept_valid && !write_valid) nothing_of_its_own: assert (!port_valid);

            one_moves: assert ((moves_kept || moves_write) == moves && !(moves_kept && moves_write));
            if (moves_kept) kept_in_its_place: assert (slices != 0 && kept_0);
            if (moves_write) write_in_its_place: assert (slices != 0 && !kept_0);
            if (slices == 0) no_data_ahead: assert (!port_data_valid);
            else data_go_on: assert (port_data_valid == (kept_0 ? kept_data_valid : write_data_valid));
            if (port_data_valid) data_unchanged: assert (port_data == (kept_0 ? kept_data : write_data));
            if (beat_held && !kept_0) beat_stays: assert (port_data_valid && port_data == held_beat);
            if (beat_held && kept_0) kept_beat_stays: assert (port_data_valid == kept_data_valid);

            one_hears: assert ((kept_done || write_done) == port_done && !(kept_done && write_done));
            if (port_done) who_began_hears: assert (kept_done == from_0);
            if (kept_done) kept_hears_it: assert (kept_code == port_code);
            if (write_done) write_hears_it: assert (write_code == port_code);
            tells_idle: assert (kept_idle == !(open != 0 && from_0 || open == 2 && from_1));

            gets_full: cover (open == DEPTH && slices == DEPTH);
            write_goes_on: cover (held && !held_kept && begins_write && kept_valid && !room);
            waits_for_kept: cover (starts && kept_due && slices == 0 && recent[SOON-1] && recent[SOON-2:0] == 0);
            two_kept: cover (open == 2 && from_0 && from_1 && moves_kept && gone != 0);
            both_end: cover (kept_done && open == 2 && !from_1);
            comes_again: cover (held && !kept_valid && held_kept && write_valid);
        end
    end

`ifdef INVARIANTS
    (* hierconn *) wire        \dut.waits ;
    (* hierconn *) wire        \dut.waiter ;
    (* hierconn *) wire [2:0]  \dut.since ;
    (* hierconn *) wire [1:0]  \dut.under_way ;
    (* hierconn *) wire [12:0] \dut.counter.moved ;
    (* hierconn *) wire [1:0]  \dut.data_order.count ;
    (* hierconn *) wire        \dut.data_order.head ;
    (* hierconn *) wire        \dut.data_order.tail ;
    (* hierconn *) wire [13:0] \dut.data_order.memory[0] ;
    (* hierconn *) wire [13:0] \dut.data_order.memory[1] ;
    (* hierconn *) wire [1:0]  \dut.done_order.count ;
    (* hierconn *) wire        \dut.done_order.head ;
    (* hierconn *) wire        \dut.done_order.tail ;
    (* hierconn *) wire        \dut.done_order.memory[0] ;
    (* hierconn *) wire        \dut.done_order.memory[1] ;
    wire [6:0] past = 7'd1 << \dut.since ;
    always @* if (started && !rst) begin
        assert (held == \dut.waits );
        if (held) assert (held_kept == \dut.waiter && held_kept == held_command[63]);
        if (held && !held_kept) assert (write_valid && held_command == write_command);
        if (beat_held) assert (slices != 0);
        if (beat_held && !kept_0) assert (write_data_valid && held_beat == write_data);
        assert (\dut.since == 7 ? recent == 0 : recent[\dut.since ] && (recent & (past - 7'd1)) == 0);
        assert (slices == \dut.data_order.count && slices <= open && open == \dut.done_order.count && open <= DEPTH);
        assert (\dut.data_order.tail == \dut.data_order.head ^ slices[0]);
        assert (\dut.done_order.tail == \dut.done_order.head ^ open[0]);
        if (slices != 0)
            assert ({kept_0, bytes_0}
                == (\dut.data_order.head ? \dut.data_order.memory[1] : \dut.data_order.memory[0] ));
        if (slices == 2)
            assert ({kept_1, bytes_1}
                == (\dut.data_order.head ? \dut.data_order.memory[0] : \dut.data_order.memory[1] ));
        if (open != 0)
            assert (from_0 == (\dut.done_order.head ? \dut.done_order.memory[1] : \dut.done_order.memory[0] ));
        if (open == 2)
            assert (from_1 == (\dut.done_order.head ? \dut.done_order.memory[0] : \dut.done_order.memory[1] ));
        assert (gone == \dut.counter.moved );
        if (slices != 0) assert (bytes_0 != 0 && gone < bytes_0);
        if (slices == 2) assert (bytes_1 != 0);
        if (slices == 0) assert (gone == 0);
        assert (\dut.under_way == (open != 0 && from_0) + (open == 2 && from_1));
    end
`endif

endmodule

`default_nettype wire
