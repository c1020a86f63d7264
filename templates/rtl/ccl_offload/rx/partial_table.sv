// Messages that go on in further packets, which have no header: one of each
// session, and one of each session to the own rank. Between messages, bytes of the
// next header may have come.
`default_nettype none

module partial_table (
    input  wire          clk,

    input  wire          loop,
    input  wire  [15:0]  session,
    output logic [2:0]   mode,       // of the session, a cycle later
    output logic [5:0]   known,      // bytes of the next header
    output logic [31:0]  left,       // bytes to come
    output logic [63:0]  address,    // where the next ones go
    output logic [engine_pkg::BUFFER_WIDTH-1:0] buffer_,
    output logic         posted,     // it lands in a posted receive
    output logic         host,       // windows: what was told with the header
    output logic [5:0]   index,
    output logic [engine_pkg::LENGTH_WIDTH-1:0] total,

    input  wire          write,
    input  wire  [2:0]   new_mode,
    input  wire  [5:0]   new_known,
    input  wire  [31:0]  new_left,
    input  wire  [63:0]  new_address,
    input  wire  [engine_pkg::BUFFER_WIDTH-1:0] new_buffer,
    input  wire          new_posted,
    input  wire          new_host,
    input  wire  [5:0]   new_index,
    input  wire  [engine_pkg::LENGTH_WIDTH-1:0] new_total
);

    localparam int unsigned INDEX = engine_pkg::SESSION_WIDTH + 1;
    localparam int unsigned WIDTH = 3 + 6 + 32 + 64 + engine_pkg::BUFFER_WIDTH + 2 + 6 + engine_pkg::LENGTH_WIDTH;

    logic [WIDTH-1:0] entries [2**INDEX];
    logic [INDEX-1:0] entry;
    logic             unused_session;

    assign unused_session = ^session;
    assign entry          = {loop, session[INDEX-2:0]};

    always_ff @(posedge clk) begin
        {mode, known, left, address, buffer_, posted, host, index, total} <= entries[entry];
        if (write)
            entries[entry] <= {
                new_mode, new_known, new_left, new_address, new_buffer, new_posted, new_host, new_index, new_total
            };
    end

endmodule

`default_nettype wire
