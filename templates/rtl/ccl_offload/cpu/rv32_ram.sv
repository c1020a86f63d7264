// Local RAM of the control processor: one port for instructions, one for data,
// a cycle each. A reset does not touch it.
`default_nettype none

module rv32_ram #(
    parameter int unsigned BYTES   = 65536, // a power of two
    parameter              CONTENT = ""     // words in hexadecimal, one a line; the rest is 0
) (
    input  wire                         clk,

    input  wire                         fetch_enable,
    input  wire  [$clog2(BYTES/4)-1:0]  fetch_address,
    output logic [31:0]                 fetch_word,

    input  wire                         data_enable,
    input  wire  [3:0]                  data_write,
    input  wire  [$clog2(BYTES/4)-1:0]  data_address,
    input  wire  [31:0]                 data_wdata,
    output logic [31:0]                 data_rdata
);

    (* ram_style = "block" *) logic [31:0] memory [BYTES/4];

`ifdef VERILATOR
    string content;
`endif

    // Block RAM is 0 where nothing else is said; saying so takes synthesis minutes.
    initial begin
`ifdef VERILATOR
        for (int i = 0; i < BYTES / 4; i++) memory[i] = 32'd0;
        if (!$value$plusargs("firmware=%s", content)) content = CONTENT;
        if (content != "") $readmemh(content, memory);
`else
        if (CONTENT != "") $readmemh(CONTENT, memory);
`endif
    end

    always_ff @(posedge clk) begin
        if (fetch_enable) fetch_word <= memory[fetch_address];
    end

    always_ff @(posedge clk) begin
        if (data_enable) begin
            for (int i = 0; i < 4; i++) begin
                if (data_write[i]) memory[data_address][8*i+:8] <= data_wdata[8*i+:8];
            end
            data_rdata <= memory[data_address];
        end
    end

endmodule

`default_nettype wire
