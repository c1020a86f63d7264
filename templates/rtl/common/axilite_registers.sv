// AXI4-Lite registers of a kernel that is called by ap_ctrl_hs: see
// control_registers.
`default_nettype none

module axilite_registers #(
    parameter int unsigned      ADDRESS_WIDTH = 12,     // bits of a byte address
    parameter int unsigned      ARGUMENTS     = 32'h10, // offset of the first word
    parameter int unsigned      WORDS         = 1,      // of 32 bits, from ARGUMENTS on
    parameter logic [WORDS-1:0] WRITABLE      = '1,     // words that the host writes
    parameter logic [WORDS-1:0] RESULTS       = '0      // words that the kernel gives
) (
    input  wire                      clk,
    input  wire                      rst,

    input  wire axilite_pkg::request_t control_request,
    output axilite_pkg::response_t control_response,

    output logic                     start,
    input  wire                      taken,
    input  wire                      done,
    input  wire                      idle,
    output logic [32*WORDS-1:0]      arguments,
    input  wire  [32*WORDS-1:0]      results
);

    logic                     bus_valid, bus_write, bus_ready;
    logic [ADDRESS_WIDTH-1:0] bus_address;
    logic [31:0]              bus_wdata, bus_rdata;
    logic [3:0]               bus_strobe;

    axilite_slave #(.ADDRESS_WIDTH(ADDRESS_WIDTH)) slave (.*);

    control_registers #(
        .ADDRESS_WIDTH(ADDRESS_WIDTH), .ARGUMENTS(ARGUMENTS), .WORDS(WORDS), .WRITABLE(WRITABLE), .RESULTS(RESULTS)
    ) registers (.*);

endmodule

`default_nettype wire
