`default_nettype none

// Any byte of any row is looked at. There is no reset: what was not written may
// be anything.
module proof (
    input wire        clk,
    input wire        write,
    input wire        write_slot,
    input wire        write_row,
    input wire [15:0] write_data,
    input wire [1:0]  write_strobe,
    input wire        read,
    input wire        read_slot,
    input wire        read_row,
    input wire        replace,
    input wire [15:0] replace_data
);

    wire [15:0] read_data;
    (* anyconst *) wire slot, row, lane;

    slot_memory dut (.*);

    // What was written last, and what the last reads are to show: of that byte,
    // or of what stands there instead.
    reg       ran, written, reads, shows, behind, instead;
    reg [7:0] byte_, next_shown, shown;
    initial {ran, written, reads, shows, behind} = 0;
    always @(posedge clk) begin
        ran <= 1'b1;
        if (write && write_slot == slot && write_row == row && write_strobe[lane])
            {written, byte_} <= {1'b1, write_data[8*lane +: 8]};
        if (read) begin
            reads      <= replace || written && read_slot == slot && read_row == row;
            next_shown <= replace ? replace_data[8*lane +: 8] : byte_;
            instead    <= replace;
        end
        behind <= read;
        if (behind) {shows, shown} <= {reads, next_shown};
    end

    always @* begin
        if (shows) shows_what_was_written: assert (read_data[8*lane +: 8] == shown);
        comes_back: cover (shows && !instead && shown == 8'h5A && byte_ != shown);
        replaced: cover (shows && instead && !behind && shown == 8'hA5);
    end

`ifdef INVARIANTS
    (* hierconn *) wire [15:0] \dut.memory[0] ;
    (* hierconn *) wire [15:0] \dut.memory[1] ;
    (* hierconn *) wire [15:0] \dut.memory[2] ;
    (* hierconn *) wire [15:0] \dut.memory[3] ;
    (* hierconn *) wire [15:0] \dut.word ;
    (* hierconn *) wire [15:0] \dut.other ;
    (* hierconn *) wire        \dut.replaced ;
    (* hierconn *) wire        \dut.again ;
    wire [63:0] memory = {\dut.memory[3] , \dut.memory[2] , \dut.memory[1] , \dut.memory[0] };
    wire [15:0] comes  = \dut.replaced ? \dut.other : \dut.word ;
    always @* begin
        if (written) assert (memory[16*{slot, row} + 8*lane +: 8] == byte_);
        if (reads) assert (comes[8*lane +: 8] == next_shown);
        if (ran) assert (behind == \dut.again );
        else assert (!reads && !shows && !behind);
    end
`endif

endmodule

`default_nettype wire
