// Multiplies 64 bits in four stages: one element of 64 bits, two of 32 or four of 16, which may be significands of
// floating point. Each product has twice the bits of its elements. What is not a product becomes 0.
`default_nettype none

module reduce_product (
    input  wire          clk,
    input  wire [3:0]    enable,   // of each stage, the first one lowest
    input  wire          floating,
    input  wire [1:0]    size,     // log2 of the bytes of an element
    input  wire [63:0]   a,
    input  wire [63:0]   b,
    input  wire          is_product_4, // what enters the last stage is one
    output logic [127:0] product
);

    // Significands take the places of numbers.
    function [63:0] significands(input [63:0] numbers, input floats, input [1:0] of);
        begin
            significands = numbers;
            if (floats && of == 2'd3) significands[63:52] = 12'(numbers[62:52] != 0);
            if (floats && of == 2'd2)
                for (int i = 0; i < 2; i = i + 1) significands[32*i+23 +: 9] = 9'(numbers[32*i+23 +: 8] != 0);
            if (floats && of == 2'd1)
                for (int i = 0; i < 4; i = i + 1) significands[16*i+10 +: 6] = 6'(numbers[16*i+10 +: 5] != 0);
        end
    endfunction

    // Products of 16 bits each, that of a[i] and b[j] at 4 * i + j. Those of different elements are left out.
    logic [63:0]  x_1, y_1;
    logic [1:0]   size_1;
    logic [511:0] parts_2;

    always_ff @(posedge clk)
        if (enable[0]) begin : unpack
            x_1    <= significands(a, floating, size);
            y_1    <= significands(b, floating, size);
            size_1 <= size;
        end

    for (genvar i = 0; i < 4; i++) begin : rows
        for (genvar j = 0; j < 4; j++) begin : columns
            logic one_element;
            assign one_element = i == j || size_1 == 2'd3 || size_1 == 2'd2 && i / 2 == j / 2;
            always_ff @(posedge clk)
                if (enable[1]) begin
                    if (one_element) parts_2[32*(4*i+j) +: 32] <= 32'(x_1[16*i +: 16]) * 32'(y_1[16*j +: 16]);
                    else parts_2[32*(4*i+j) +: 32] <= '0;
                end
        end
    end

    // Sums of those that lie side by side: at multiples of 32 bits from 0, 16, 32 and 48 on.
    function [31:0] part(input [511:0] of, input int i, input int j);
        part = of[32*(4*i+j) +: 32];
    endfunction

    logic [127:0] even_3;
    logic [96:0]  odd_3;
    logic [80:0]  outer_3;

    always_ff @(posedge clk) begin
        if (enable[2]) begin : add_parts
            even_3  <= {part(parts_2, 3, 3), part(parts_2, 2, 2), part(parts_2, 1, 1), part(parts_2, 0, 0)};
            odd_3   <= 97'({part(parts_2, 2, 3), part(parts_2, 1, 2), part(parts_2, 0, 1)})
                     + 97'({part(parts_2, 3, 2), part(parts_2, 2, 1), part(parts_2, 1, 0)});
            outer_3 <= 81'({part(parts_2, 1, 3), part(parts_2, 0, 2)}) + 81'({part(parts_2, 3, 1), part(parts_2, 2, 0)})
                     + (81'(part(parts_2, 0, 3)) << 16) + (81'(part(parts_2, 3, 0)) << 16);
        end
        if (enable[3]) begin : add_sums
            if (is_product_4) product <= even_3 + (128'(odd_3) << 16) + (128'(outer_3) << 32);
            else product <= '0;
        end
    end

endmodule

`default_nettype wire
