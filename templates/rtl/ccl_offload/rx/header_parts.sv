// Headers that have come in part, by session: their first bytes, and with them the
// ones that come next.
`default_nettype none

module header_parts (
    input  wire          clk,
    input  wire  [15:0]  session,
    input  wire  [5:0]   known,      // bytes that are there, a cycle after the session
    input  wire  [engine_pkg::DATA_WIDTH-1:0] beat, // what comes behind them; 0 behind its end
    output logic [engine_pkg::DATA_WIDTH-1:0] joined,
    input  wire          write       // what is joined is there from now on
);

    localparam int unsigned INDEX = engine_pkg::SESSION_WIDTH;
    localparam int unsigned DATA  = engine_pkg::DATA_WIDTH;

    logic [DATA-1:0]  entries [2**INDEX];
    logic [DATA-1:0]  part, turned;
    logic [DATA/8-1:0] there; // lanes of the part
    logic             unused_session;

    assign unused_session = ^session;
    assign there          = ~({DATA/8{1'b1}} << known);

    byte_rotate #(.LEFT(1'b1)) rotate (.in_data(beat), .lanes(known), .out_data(turned));

    always_comb
        for (int unsigned i = 0; i < DATA / 8; i++)
            joined[8*i +: 8] = there[i] ? part[8*i +: 8] : turned[8*i +: 8];

    always_ff @(posedge clk) begin
        part <= entries[session[INDEX-1:0]];
        if (write) entries[session[INDEX-1:0]] <= joined;
    end

endmodule

`default_nettype wire
