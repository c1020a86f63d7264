// Calls of the simulation's host, merged into the calls of the design. Those of
// the design go through as they are; each call's words stay together. The id in
// the answer tells whose it is: 4 to 7 are the host's.
`default_nettype none

module sim_host_calls #(
    parameter int ID = 0 // number of the port in the simulation
) (
    input  wire         clk,
    input  wire         rst,

    // From and to the design.
    input  wire         design_call_tvalid,
    output logic        design_call_tready,
    input  wire  [31:0] design_call_tdata,
    output logic        design_ack_tvalid,
    input  wire         design_ack_tready,
    output logic [31:0] design_ack_tdata,

    // To and from the engine.
    output logic        call_tvalid,
    input  wire         call_tready,
    output logic [31:0] call_tdata,
    input  wire         ack_tvalid,
    output logic        ack_tready,
    input  wire  [31:0] ack_tdata
);

    // The next word of the host, if there is one.
    import "DPI-C" function bit sim_calls_word(input int id, output int unsigned word);
    import "DPI-C" function void sim_calls_answer(input int id, input int unsigned answer);

    localparam logic [1:0] NOBODY = 2'd0;
    localparam logic [1:0] DESIGN = 2'd1;
    localparam logic [1:0] HOST   = 2'd2;

    // Lowest bit of an answer's id, and the bit that is set for the host's.
    localparam int HOST_BIT = cclo_pkg::CALL_ANSWER_CLIENT_LOW + cclo_pkg::CALL_ANSWER_CLIENT_WIDTH - 1;

    logic [1:0]  owner;
    logic [3:0]  words;     // of the owner's call, sent
    logic        turn;      // the design has had the last one
    logic        host_valid;
    logic [31:0] host_word;
    int unsigned next_word;
    logic        host_taken;
    logic        host_answer;

    assign call_tvalid        = owner == DESIGN ? design_call_tvalid : owner == HOST && host_valid;
    assign call_tdata         = owner == DESIGN ? design_call_tdata : host_word;
    assign design_call_tready = owner == DESIGN && call_tready;
    assign host_taken         = owner == HOST && host_valid && call_tready;

    assign host_answer       = ack_tdata[HOST_BIT];
    assign design_ack_tvalid = ack_tvalid && !host_answer;
    assign design_ack_tdata  = ack_tdata;
    assign ack_tready        = host_answer || design_ack_tready;

    always_ff @(posedge clk) begin
        if (rst) begin
            owner      <= NOBODY;
            words      <= '0;
            turn       <= 1'b0;
            host_valid <= 1'b0;
        end else begin
            if (!host_valid || host_taken) begin
                host_valid <= sim_calls_word(ID, next_word);
                host_word  <= next_word;
            end
            if (owner == NOBODY) begin
                if (host_valid && (turn || !design_call_tvalid)) owner <= HOST;
                else if (design_call_tvalid) owner <= DESIGN;
            end else if (call_tvalid && call_tready) begin
                words <= words + 4'd1;
                if (words == 4'(cclo_pkg::CALL_WORDS - 1)) begin
                    words <= '0;
                    turn  <= owner == DESIGN;
                    owner <= NOBODY;
                end
            end
            if (ack_tvalid && host_answer) sim_calls_answer(ID, ack_tdata);
        end
    end

endmodule

`default_nettype wire
