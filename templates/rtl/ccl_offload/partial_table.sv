// Messages that go on in further packets, which have no header: one of each
// session, and one of each session to the own rank.
`default_nettype none

module partial_table (
    input  wire          clk,

    input  wire          loop,
    input  wire  [15:0]  session,
    output logic [1:0]   mode,       // of the session, a cycle later
    output logic [31:0]  left,       // bytes to come
    output logic [63:0]  address,    // where the next ones go
    output logic [engine_pkg::BUFFER_WIDTH-1:0] buffer_,

    input  wire          write,
    input  wire  [1:0]   new_mode,
    input  wire  [31:0]  new_left,
    input  wire  [63:0]  new_address,
    input  wire  [engine_pkg::BUFFER_WIDTH-1:0] new_buffer
);

    localparam int unsigned INDEX = engine_pkg::SESSION_WIDTH + 1;
    localparam int unsigned WIDTH = 2 + 32 + 64 + engine_pkg::BUFFER_WIDTH;

    logic [WIDTH-1:0] entries [2**INDEX];
    logic [INDEX-1:0] index;
    logic             unused_session;

    assign unused_session = ^session;
    assign index          = {loop, session[INDEX-2:0]};

    always_ff @(posedge clk) begin
        {mode, left, address, buffer_} <= entries[index];
        if (write) entries[index] <= {new_mode, new_left, new_address, new_buffer};
    end

endmodule

`default_nettype wire
