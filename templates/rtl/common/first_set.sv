// The first of up to 64 that is marked, in two steps: in every eight, and of these.
`default_nettype none

module first_set #(
    parameter int unsigned N = 64 // bits
) (
    input  wire  [N-1:0]         marked,
    output logic [$clog2(N)-1:0] place // 0 if none is
);

    logic [63:0] all;
    logic [7:0]  eights;   // those with any
    logic [23:0] places;   // in each of them
    logic [2:0]  eight;

    function automatic logic [2:0] first(input logic [7:0] of);
        first = 3'd0;
        for (int unsigned i = 0; i < 8; i++) if (of[7 - i]) first = 3'(7 - i);
    endfunction

    assign all   = 64'(marked);
    assign eight = first(eights);
    assign place = $clog2(N)'({eight, places[5'd3 * 5'(eight) +: 3]});

    always_comb
        for (int unsigned i = 0; i < 8; i++) begin
            eights[i]        = |all[8*i +: 8];
            places[3*i +: 3] = first(all[8*i +: 8]);
        end

endmodule

`default_nettype wire
