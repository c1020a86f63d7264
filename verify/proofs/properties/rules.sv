// What properties of several blocks share.
`default_nettype none

// The output of a block: what is valid stays, unchanged, until it is taken.
module stays #(
    parameter WIDTH = 1
) (
    input wire             clk,
    input wire             rst,
    input wire             valid,
    input wire             ready,
    input wire [WIDTH-1:0] data
);

    reg             waits = 1'b0;
    reg [WIDTH-1:0] was;

    always @(posedge clk) begin
        waits <= valid && !ready && !rst;
        was   <= data;
    end

    always @* if (waits) begin
        valid_until_taken: assert (valid);
        unchanged_until_taken: assert (data == was);
    end

endmodule

// An input of a block: the same, of those that use it.
module stays_outside #(
    parameter WIDTH = 1
) (
    input wire             clk,
    input wire             rst,
    input wire             valid,
    input wire             ready,
    input wire [WIDTH-1:0] data
);

    reg             waits = 1'b0;
    reg [WIDTH-1:0] was;

    always @(posedge clk) begin
        waits <= valid && !ready && !rst;
        was   <= data;
    end

    always @* if (waits) assume (valid && data == was);

endmodule

// What goes in comes out once, unchanged and in order. Any one word is watched:
// ahead counts those that have to come out before it. The first cycle is a reset.
module in_order #(
    parameter WIDTH    = 1,
    parameter CAPACITY = 2,
    parameter COUNT    = $clog2(CAPACITY + 2)
) (
    input  wire             clk,
    input  wire             rst,     // forgets all words
    input  wire             push,
    input  wire [WIDTH-1:0] in_data,
    input  wire             pop,
    input  wire [WIDTH-1:0] out_data,
    output reg  [COUNT-1:0] inside,
    output reg              watched,
    output reg  [COUNT-1:0] ahead,
    output reg  [WIDTH-1:0] data
);

    (* anyseq *) wire watch;

    initial {inside, watched} = 0;
    always @(posedge clk) begin
        inside <= inside + push - pop;
        if (watched && pop) begin
            ahead   <= ahead - 1'b1;
            watched <= ahead != 0;
        end
        if (!watched && push && watch) begin
            watched <= 1'b1;
            ahead   <= inside - pop;
            data    <= in_data;
        end
        if (rst) begin
            inside  <= 0;
            watched <= 1'b0;
        end
    end

    always @* if (!rst) begin
        no_more_than_fit: assert (inside <= CAPACITY);
        nothing_of_its_own: assert (!pop || inside != 0);
        if (watched && pop && ahead == 0) in_order_and_unchanged: assert (out_data == data);
        if (watched) watched_is_inside: assert (ahead < inside);
        comes_through: cover (watched && pop && ahead == 0);
    end

endmodule

// A reset in the first cycle, and in any other. What is assumed must leave room
// for going on after each.
module begins (
    input  wire clk,
    input  wire rst,
    output reg  started
);

    reg ran, reset, goes_on;   // before the last reset, then, and behind it

    initial {started, ran, reset, goes_on} = 0;
    always @(posedge clk) begin
        started <= 1'b1;
        ran     <= ran || started && !rst;
        reset   <= rst && ran;
        goes_on <= reset && !rst;
    end
    always @* begin
        if (!started) assume (rst);
        goes_on_after_a_reset: cover (goes_on && !rst);
    end

endmodule

`default_nettype wire
