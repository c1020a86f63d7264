// The control processor: the vendor's core and our local RAM, which holds program
// and data. All other addresses go to a bus, one access at a time: it is held
// until ready, which comes in the same cycle as valid or in any later one, with
// rdata and error beside it. An error halts the processor, as every trap does.
`default_nettype none

module control_processor #(
    parameter FIRMWARE = "cclo_firmware.mem" // in simulation, +firmware=file comes first
) (
    input  wire         clk,
    input  wire         rst,

    output logic        bus_valid,
    output logic        bus_write,
    output logic [31:0] bus_address,
    output logic [31:0] bus_wdata,
    output logic [3:0]  bus_strobe,   // bytes of the word to write, or wanted
    input  wire         bus_ready,
    input  wire  [31:0] bus_rdata,
    input  wire         bus_error,

    output logic        halted,
    output logic [3:0]  cause,        // as RISC-V's mcause
    output logic [31:0] trap_pc,
    output logic [31:0] trap_address,

    // Of this core nobody can see what it executes.
    output logic        retired,
    output logic [31:0] retired_pc,
    output logic [4:0]  retired_rd,
    output logic [31:0] retired_value
);

    localparam int unsigned INDEX = $clog2(cclo_pkg::LOCAL_RAM_BYTES / 4);

    logic             fetch_enable, data_enable;
    logic [INDEX-1:0] fetch_address, data_address;
    logic [31:0]      fetch_word, data_wdata, data_rdata;
    logic [3:0]       data_write;

    microblaze_v_core #(.RAM_BYTES(cclo_pkg::LOCAL_RAM_BYTES)) core (
        .clk, .rst, .fetch_enable, .fetch_address, .fetch_word, .data_enable, .data_write, .data_address, .data_wdata, .data_rdata,
        .bus_valid, .bus_write, .bus_address, .bus_wdata, .bus_strobe, .bus_ready, .bus_rdata, .bus_error,
        .halted, .cause, .trap_pc, .trap_address
    );
    rv32_ram #(.BYTES(cclo_pkg::LOCAL_RAM_BYTES), .CONTENT(FIRMWARE)) ram (
        .clk, .fetch_enable, .fetch_address, .fetch_word, .data_enable, .data_write, .data_address, .data_wdata, .data_rdata
    );

    assign retired       = 1'b0;
    assign retired_pc    = '0;
    assign retired_rd    = '0;
    assign retired_value = '0;

endmodule

`default_nettype wire
