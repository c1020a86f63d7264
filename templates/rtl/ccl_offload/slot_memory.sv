// Memory of packets, as many rows a slot. What is read stands there two cycles
// after its address, or what the reader replaces it by.
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

    // In columns, which synthesis handles far sooner than one wide memory of bytes.
    localparam int unsigned COLUMN  = 64;
    localparam int unsigned COLUMNS = engine_pkg::DATA_WIDTH / COLUMN;

    logic [engine_pkg::DATA_WIDTH-1:0] word, other;
    logic                              replaced, again;

    for (genvar c = 0; c < COLUMNS; c++) begin : columns
        logic [COLUMN-1:0] memory [ROWS];

        always_ff @(posedge clk) begin
            if (write)
                for (int unsigned i = 0; i < COLUMN / 8; i++)
                    if (write_strobe[c*COLUMN/8 + i]) memory[{write_slot, write_row}][8*i +: 8] <= write_data[c*COLUMN + 8*i +: 8];
            if (read) word[c*COLUMN +: COLUMN] <= memory[{read_slot, read_row}];
        end
    end

    always_ff @(posedge clk) begin
        if (read) begin
            other    <= replace_data;
            replaced <= replace;
        end
        again <= read;
        if (again) read_data <= replaced ? other : word;
    end

endmodule

`default_nettype wire
