// Memory of packets, as many rows a slot. What is read stands there a cycle after
// its address until the next one, or what the reader replaces it by.
`default_nettype none

module slot_memory (
    input  wire                               clk,

    input  wire                               write,
    input  wire  [engine_pkg::SLOT_WIDTH-1:0] write_slot,
    input  wire  [engine_pkg::ROW_WIDTH-1:0]  write_row,
    input  wire  [engine_pkg::DATA_WIDTH-1:0] write_data,
    input  wire  [engine_pkg::KEEP_WIDTH-1:0] write_strobe,

    input  wire                               read,
    input  wire  [engine_pkg::SLOT_WIDTH-1:0] read_slot,
    input  wire  [engine_pkg::ROW_WIDTH-1:0]  read_row,
    input  wire                               replace,
    input  wire  [engine_pkg::DATA_WIDTH-1:0] replace_data,
    output logic [engine_pkg::DATA_WIDTH-1:0] read_data
);

    localparam int unsigned ROWS = engine_pkg::SLOTS << engine_pkg::ROW_WIDTH;

    logic [engine_pkg::DATA_WIDTH-1:0] memory [ROWS];
    logic [engine_pkg::DATA_WIDTH-1:0] word, other;
    logic                              replaced;

    assign read_data = replaced ? other : word;

    always_ff @(posedge clk) begin
        if (write)
            for (int unsigned i = 0; i < engine_pkg::KEEP_WIDTH; i++)
                if (write_strobe[i]) memory[{write_slot, write_row}][8*i +: 8] <= write_data[8*i +: 8];
        if (read) begin
            word     <= memory[{read_slot, read_row}];
            other    <= replace_data;
            replaced <= replace;
        end
    end

endmodule

`default_nettype wire
