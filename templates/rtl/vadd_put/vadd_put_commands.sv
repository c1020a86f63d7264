// Cuts a transfer of any size into commands of a data mover, and waits for their
// statuses.
`default_nettype none

module vadd_put_commands (
    input  wire                                    clk,
    input  wire                                    rst,

    input  wire                                    start, // pulse
    input  wire  [63:0]                            address,
    input  wire  [32:0]                            bytes,
    output logic                                   busy,

    output logic                                   command_valid,
    input  wire                                    command_ready,
    output logic [cclo_pkg::DMA_COMMAND_WIDTH-1:0] command_data,

    input  wire                                    status_valid
);

    localparam int unsigned PIECE = cclo_pkg::DMA_COMMAND_BYTES_WIDTH - 1; // log2 of the bytes of a command
    localparam int unsigned COUNT = 33 - PIECE + 1;

    logic [63:0]            next;
    logic [32:0]            left;
    logic [COUNT-1:0]       open; // commands without a status
    logic                   final_piece;
    cclo_pkg::dma_command_t command;

    assign final_piece   = left <= 33'd1 << PIECE;
    assign command_valid = left != 0;
    assign command_data  = command;
    assign busy          = command_valid || open != 0;

    always_comb begin
        command              = '0;
        command.bytes        = final_piece ? cclo_pkg::DMA_COMMAND_BYTES_WIDTH'(left)
            : cclo_pkg::DMA_COMMAND_BYTES_WIDTH'(1) << PIECE;
        command.incrementing = 1'b1;
        command.eof          = final_piece;
        command.address      = next;
    end

    always_ff @(posedge clk)
        if (rst) begin
            left <= '0;
            open <= '0;
        end else begin
            open <= open + COUNT'(command_valid && command_ready) - COUNT'(status_valid);
            if (start) begin
                next <= address;
                left <= bytes;
            end else if (command_valid && command_ready) begin
                next <= next + (64'd1 << PIECE);
                left <= final_piece ? '0 : left - (33'd1 << PIECE);
            end
        end

endmodule

`default_nettype wire
