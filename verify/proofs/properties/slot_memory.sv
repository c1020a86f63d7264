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

    // What was written last, and what the last read is to show: of that byte, or
    // of what stands there instead.
    reg       written, shows, behind, instead;
    reg [7:0] byte_, shown;
    initial {written, shows, behind} = 0;
    always @(posedge clk) begin
        if (write && write_slot == slot && write_row == row && write_strobe[lane])
            {written, byte_} <= {1'b1, write_data[8*lane +: 8]};
        if (read) begin
            shows   <= replace || written && read_slot == slot && read_row == row;
            shown   <= replace ? replace_data[8*lane +: 8] : byte_;
            instead <= replace;
        end
        behind <= read;
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
    wire [63:0] memory = {\dut.memory[3] , \dut.memory[2] , \dut.memory[1] , \dut.memory[0] };
    always @* if (written) assert (memory[16*{slot, row} + 8*lane +: 8] == byte_);
`endif

endmodule

`default_nettype wire
