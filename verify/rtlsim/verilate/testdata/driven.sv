// Streams that keep their promises, but for the one that is planted.
module driven (
    input  wire         clk,
    input  wire         rst,
    input  wire [3:0]   planted,
    input  wire         in_valid,
    output logic        in_ready,
    input  wire [31:0]  in_data,
    input  wire         in_last,
    output logic        out_valid,
    input  wire         out_ready,
    output logic [31:0] out_data,
    output logic [3:0]  out_keep,
    output logic        out_last,
    output logic [1:0]  pair_valid,
    input  wire [1:0]   pair_ready,
    output logic [15:0] pair_word,
    output logic        ask_valid,
    input  wire         ask_ready,
    output logic [7:0]  ask_what
);

    logic move;
    assign move     = !out_valid || out_ready;
    assign in_ready = move;

    always_ff @(posedge clk) begin
        if (rst) out_valid <= 1'b0;
        else if (move || planted == 4'd1) out_valid <= in_valid;
        if (move || planted == 4'd2) out_data <= in_data;
        else if (planted == 4'd3 && in_valid) out_data[31] <= !out_data[31];
        if (move) begin
            out_last <= in_last;
            out_keep <= !in_last ? (planted == 4'd4 ? 4'b0001 : 4'b1111)
                : planted == 4'd5 ? 4'b1011 : planted == 4'd6 ? 4'b0000 : 4'b0111;
        end
        for (int i = 0; i < 2; i++) begin
            if (rst) pair_valid[i] <= 1'b0;
            else if (!pair_valid[i] || pair_ready[i] || planted == 4'd7 && i == 1) pair_valid[i] <= in_valid;
            if (!pair_valid[i] || pair_ready[i] || planted == 4'd8 && i == 1) pair_word[8*i +: 8] <= in_data[7:0];
        end
        if (rst) ask_valid <= 1'b0;
        else if (!ask_valid || ask_ready || planted == 4'd9) ask_valid <= in_valid;
        if (!ask_valid || ask_ready || planted == 4'd10) ask_what <= in_data[7:0];
    end

endmodule
