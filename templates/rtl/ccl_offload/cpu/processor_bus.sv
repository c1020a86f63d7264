// Brings accesses of the control processor to the exchange memory and to the
// pages of registers. An access to nothing, or to a part of a register, is an
// error.
`default_nettype none

module processor_bus (
    input  wire         clk,
    input  wire         rst,

    input  wire         bus_valid,
    input  wire         bus_write,
    input  wire  [31:0] bus_address,
    input  wire  [31:0] bus_wdata,
    input  wire  [3:0]  bus_strobe,
    output logic        bus_ready,
    output logic [31:0] bus_rdata,
    output logic        bus_error,

    output logic        exchange_valid,
    output logic        exchange_write,
    output logic [$clog2(cclo_pkg::EXCHANGE_BYTES)-1:0] exchange_address,
    output logic [31:0] exchange_wdata,
    output logic [3:0]  exchange_strobe,
    input  wire         exchange_ready,
    input  wire  [31:0] exchange_rdata,

    output engine_pkg::reg_request_t       calls_request,
    input  wire engine_pkg::reg_response_t calls_response,
    output engine_pkg::reg_request_t       window_request,
    input  wire engine_pkg::reg_response_t window_response,
    output engine_pkg::reg_request_t       move_request,
    input  wire engine_pkg::reg_response_t move_response,
    output engine_pkg::reg_request_t       move_status_request,
    input  wire engine_pkg::reg_response_t move_status_response,
    output engine_pkg::reg_request_t       rx_request,
    input  wire engine_pkg::reg_response_t rx_response,
    output engine_pkg::reg_request_t       network_request,
    input  wire engine_pkg::reg_response_t network_response,
    output engine_pkg::reg_request_t       sessions_request,
    input  wire engine_pkg::reg_response_t sessions_response,
    output engine_pkg::reg_request_t       rendezvous_request,
    input  wire engine_pkg::reg_response_t rendezvous_response,
    output engine_pkg::reg_request_t       system_request,
    input  wire engine_pkg::reg_response_t system_response,
    output engine_pkg::reg_request_t       timers_request,
    input  wire engine_pkg::reg_response_t timers_response,
    output engine_pkg::reg_request_t       notice_request,
    input  wire engine_pkg::reg_response_t notice_response
);

    localparam int unsigned PAGES = 11;
    // All pages of registers lie in the 4 KiB from here on.
    localparam logic [31:0] REGISTERS = cclo_pkg::CALLS_STATUS_ADDRESS & 32'hFFFF_F000;

    // Where the exchange memory lies at a multiple of its size, nothing is subtracted.
    localparam logic [31:0] INSIDE  = cclo_pkg::EXCHANGE_BYTES - 32'd1;
    localparam bit          ALIGNED = (cclo_pkg::EXCHANGE_BYTES & INSIDE) == '0
        && (cclo_pkg::EXCHANGE_PROCESSOR_BASE & INSIDE) == '0;

    logic                      in_exchange, in_registers, whole, answered;
    logic [31:0]               from_exchange;
    logic [PAGES-1:0]          page;
    engine_pkg::reg_request_t  request;
    engine_pkg::reg_response_t response;

    assign from_exchange = bus_address - cclo_pkg::EXCHANGE_PROCESSOR_BASE;
    assign in_exchange   = ALIGNED ? ((bus_address ^ cclo_pkg::EXCHANGE_PROCESSOR_BASE) & ~INSIDE) == '0
        : from_exchange <= INSIDE;
    assign in_registers  = bus_address[31:12] == REGISTERS[31:12];
    assign whole         = bus_strobe == 4'hF;

    assign page = {
        bus_address[11:8] == engine_pkg::PAGE_NOTICE,
        bus_address[11:8] == engine_pkg::PAGE_TIMERS,
        bus_address[11:8] == engine_pkg::PAGE_SYSTEM,
        bus_address[11:8] == engine_pkg::PAGE_RENDEZVOUS && engine_pkg::HAS_RENDEZVOUS,
        bus_address[11:8] == engine_pkg::PAGE_SESSIONS && engine_pkg::HAS_SESSIONS,
        bus_address[11:8] == engine_pkg::PAGE_NETWORK,
        bus_address[11:8] == engine_pkg::PAGE_RX,
        bus_address[11:8] == engine_pkg::PAGE_MOVE_STATUS,
        bus_address[11:8] == engine_pkg::PAGE_MOVE,
        bus_address[11:8] == engine_pkg::PAGE_CALL_WINDOW,
        bus_address[11:8] == engine_pkg::PAGE_CALLS
    } & {PAGES{in_registers && whole}};

    assign exchange_valid   = bus_valid && in_exchange;
    assign exchange_write   = bus_write;
    assign exchange_address = from_exchange[$clog2(cclo_pkg::EXCHANGE_BYTES)-1:0];
    assign exchange_wdata   = bus_wdata;
    assign exchange_strobe  = bus_strobe;

    assign request = {bus_valid, bus_write, bus_address[7:0], bus_wdata};

    always_comb begin
        {calls_request, window_request, move_request, move_status_request, rx_request} = {5{request}};
        {network_request, sessions_request, rendezvous_request} = {3{request}};
        {system_request, timers_request, notice_request} = {3{request}};
        calls_request.valid       = bus_valid && page[0];
        window_request.valid      = bus_valid && page[1];
        move_request.valid        = bus_valid && page[2];
        move_status_request.valid = bus_valid && page[3];
        rx_request.valid          = bus_valid && page[4];
        network_request.valid     = bus_valid && page[5];
        sessions_request.valid    = bus_valid && page[6];
        rendezvous_request.valid  = bus_valid && page[7];
        system_request.valid      = bus_valid && page[8];
        timers_request.valid      = bus_valid && page[9];
        notice_request.valid      = bus_valid && page[10];
    end

    assign response = calls_response & {$bits(response){page[0]}}
                    | window_response & {$bits(response){page[1]}}
                    | move_response & {$bits(response){page[2]}}
                    | move_status_response & {$bits(response){page[3]}}
                    | rx_response & {$bits(response){page[4]}}
                    | network_response & {$bits(response){page[5]}}
                    | sessions_response & {$bits(response){page[6]}}
                    | rendezvous_response & {$bits(response){page[7]}}
                    | system_response & {$bits(response){page[8]}}
                    | timers_response & {$bits(response){page[9]}}
                    | notice_response & {$bits(response){page[10]}};

    // Nothing answers in the first cycle of an access to nowhere.
    always_ff @(posedge clk) answered <= !rst && bus_valid && !answered && !in_exchange && page == '0;

    assign bus_ready = in_exchange ? exchange_ready : page != '0 ? response.ready : answered;
    assign bus_error = !in_exchange && (page == '0 || response.error);
    assign bus_rdata = in_exchange ? exchange_rdata : response.rdata;

endmodule

`default_nettype wire
