// The processor's registers of the network engines.
`default_nettype none

module network_registers (
    input  wire          clk,
    input  wire          rst,
    input  wire          reset_network,

    input  wire engine_pkg::reg_request_t reg_request,
    output engine_pkg::reg_response_t     reg_response,

    output logic         network_enable,
    output logic         enabled,        // a pulse: control was written
    input  wire  [engine_pkg::EVENT_WIDTH-1:0] events_set,
    input  wire          closed,         // a pulse
    input  wire  [15:0]  closed_by,
    output logic         event_network
);

    localparam logic [7:0] CONTROL        = 8'(cclo_pkg::NETWORK_CONTROL_OFFSET);
    localparam logic [7:0] STACK          = 8'(cclo_pkg::NETWORK_STACK_OFFSET);
    localparam logic [7:0] EVENTS         = 8'(cclo_pkg::NETWORK_EVENTS_OFFSET);
    localparam logic [7:0] CLOSED_SESSION = 8'(cclo_pkg::NETWORK_CLOSED_SESSION_OFFSET);

    logic [engine_pkg::EVENT_WIDTH-1:0] events, events_clear, events_new;
    logic [15:0] closed_session;
    logic        write, was_reset;

    assign write        = reg_request.valid && reg_request.write && !reg_response.ready;
    assign events_new   = events_set | (closed ? engine_pkg::EVENT_CLOSED : '0);
    assign events_clear = write && reg_request.address == EVENTS ? reg_request.wdata[engine_pkg::EVENT_WIDTH-1:0] : '0;

    always_ff @(posedge clk) begin
        was_reset     <= reset_network;
        event_network <= events_new != '0;
        enabled       <= write && reg_request.address == CONTROL;
        if (closed) closed_session <= closed_by;
        events <= (reset_network && !was_reset ? '0 : events & ~events_clear) | events_new;
        if (write && reg_request.address == CONTROL)
            network_enable <= reg_request.wdata[cclo_pkg::NETWORK_CONTROL_ENABLE_BIT];

        reg_response       <= '0;
        reg_response.ready <= reg_request.valid && !reg_response.ready;
        case (reg_request.address)
            CONTROL:        reg_response.rdata <= network_enable ? cclo_pkg::NETWORK_CONTROL_ENABLE : '0;
            STACK:          reg_response.rdata <= engine_pkg::STACK; // there is no other one to choose
            EVENTS:         reg_response.rdata <= 32'(events);
            CLOSED_SESSION: begin
                reg_response.rdata <= 32'(closed_session);
                reg_response.error <= reg_request.write;
            end
            default: reg_response.error <= 1'b1;
        endcase

        if (rst || reset_network) network_enable <= 1'b0;
        if (rst) begin
            events         <= '0;
            closed_session <= '0;
            event_network  <= 1'b0;
            reg_response   <= '0;
        end
    end

endmodule

`default_nettype wire
