// The memory that host, processor and engine share. It makes one access a cycle,
// so every one of them is atomic; adding takes two, in which nobody else has a
// turn. The processor comes first, the others take turns: nobody starves, since
// the processor asks every other cycle at most.
//
// The host's addresses in front of the memory lead to registers, where a
// generation has such; all others read as 0 and are not written. The words of the
// inspection are registers of their own for the host.
`default_nettype none

module exchange_memory #(
    parameter int unsigned ADDRESS_WIDTH = engine_pkg::HOST_WIDTH // of the host's port
) (
    input  wire                                  clk,
    input  wire                                  rst,

    input  wire axilite_pkg::request_t control_request,
    output axilite_pkg::response_t control_response,

    // Registers of the host below the memory; held until ready.
    output logic                                 host_register_valid,
    output logic                                 host_register_write,
    output logic [ADDRESS_WIDTH-1:0]             host_register_address,
    output logic [31:0]                          host_register_wdata,
    output logic [3:0]                           host_register_strobe,
    input  wire                                  host_register_ready,
    input  wire  [31:0]                          host_register_rdata,

    // The host's accesses to the words of the inspection.
    output engine_pkg::reg_request_t             inspection_request,
    input  wire engine_pkg::reg_response_t       inspection_response,

    // Held until ready, in the next cycle at the earliest. The address counts
    // bytes from the processor's base.
    input  wire                                  processor_valid,
    input  wire                                  processor_write,
    input  wire  [$clog2(cclo_pkg::EXCHANGE_BYTES)-1:0] processor_address,
    input  wire  [31:0]                          processor_wdata,
    input  wire  [3:0]                           processor_strobe,
    output logic                                 processor_ready,
    output logic [31:0]                          processor_rdata,

    input  wire engine_pkg::exchange_request_t   peer_request,
    output engine_pkg::exchange_response_t       peer_response,
    input  wire engine_pkg::exchange_request_t   messages_request,
    output engine_pkg::exchange_response_t       messages_response,
    input  wire engine_pkg::exchange_request_t   transmit_request,
    output engine_pkg::exchange_response_t       transmit_response,

    output logic                                 written,     // pulse: by host or processor
    output logic                                 host_written // pulse
);

    localparam int unsigned WORDS = cclo_pkg::EXCHANGE_BYTES / 4;
    localparam int unsigned INDEX = $clog2(WORDS);

    // Who has a turn.
    localparam int unsigned HOST      = 0;
    localparam int unsigned PEER      = 1;
    localparam int unsigned MESSAGES  = 2;
    localparam int unsigned TRANSMIT  = 3;
    localparam int unsigned PROCESSOR = 4;
    localparam int unsigned CLIENTS   = 5;

    (* ram_style = "block" *) logic [31:0] memory [WORDS];

    // Hosts count on zeros: tuning words that nobody writes are the defaults. Block
    // RAM is 0 where nothing else is said; saying so takes synthesis long.
`ifdef VERILATOR
    initial for (int i = 0; i < WORDS; i++) memory[i] = 32'd0;
`endif

    // The host's access, behind its AXI4-Lite.
    logic                     bus_valid, bus_write, bus_ready;
    logic [ADDRESS_WIDTH-1:0] bus_address;
    logic [31:0]              bus_wdata, bus_rdata;
    logic [3:0]               bus_strobe;
    logic                     host_here, host_below, host_inspects;

    axilite_slave #(.ADDRESS_WIDTH(ADDRESS_WIDTH)) slave (.*);

    // Offsets from the memory's base; those in front of it are negative.
    logic [31:0] host_offset, asked_offset, inspection_offset;

    assign host_offset       = 32'(bus_address) - cclo_pkg::EXCHANGE_BASE;
    assign inspection_offset = 32'(bus_address) - cclo_pkg::EXCHANGE_INSPECTION_OFFSET;
    assign host_inspects     = inspection_offset < 4 * cclo_pkg::INSPECTION_WORDS;
    assign host_here         = host_offset < cclo_pkg::EXCHANGE_BYTES && !host_inspects;
    assign host_below        = host_offset[31];

    assign inspection_request = {bus_valid && host_inspects, bus_write, inspection_offset[7:0], bus_wdata};

    assign host_register_valid   = bus_valid && host_below;
    assign host_register_write   = bus_write;
    assign host_register_address = bus_address;
    assign host_register_wdata   = bus_wdata;
    assign host_register_strobe  = bus_strobe;

    always_comb begin
        if (host_here) begin
            bus_ready = answered[HOST];
            bus_rdata = read_word;
        end else if (host_inspects) begin
            bus_ready = inspection_response.ready;
            bus_rdata = inspection_response.rdata;
        end else begin
            bus_ready = !host_below || host_register_ready;
            bus_rdata = host_below ? host_register_rdata : '0;
        end
    end

    // Turns. An answered request still stands there for a cycle.
    logic [CLIENTS-1:0] request, turn, answered;
    logic [3:0]         others;
    logic [1:0]         others_index;
    logic               adding;  // second cycle of an addition: read_word is there
    logic               ok;

    assign request[HOST]      = bus_valid && host_here && !answered[HOST];
    assign request[PEER]      = peer_request.valid && !answered[PEER];
    assign request[MESSAGES]  = messages_request.valid && !answered[MESSAGES];
    assign request[TRANSMIT]  = transmit_request.valid && !answered[TRANSMIT];
    assign request[PROCESSOR] = processor_valid && !answered[PROCESSOR];

    round_robin #(.N(4)) turns (
        .clk(clk), .rst(rst), .request(request[3:0]), .advance(!adding && !request[PROCESSOR]),
        .grant(others), .index(others_index)
    );

    always_comb begin
        turn = '0;
        if (adding) turn = adder;
        else if (request[PROCESSOR]) turn[PROCESSOR] = 1'b1;
        else turn[3:0] = others;
    end

    // What is asked for in this cycle.
    engine_pkg::exchange_request_t asked;   // by the engine
    logic [CLIENTS-1:0]            adder;   // who is adding
    logic [INDEX-1:0]              index;
    logic [31:0]                   data;
    logic [3:0]                    strobe;
    logic                          good, begins_addition;

    always_comb begin
        asked = peer_request;
        if (turn[MESSAGES]) asked = messages_request;
        if (turn[TRANSMIT]) asked = transmit_request;

        asked_offset = asked.address - cclo_pkg::EXCHANGE_BASE;

        index  = asked_offset[INDEX+1:2];
        good   = asked_offset < cclo_pkg::EXCHANGE_BYTES && asked_offset[1:0] == 2'b00;
        data   = adding ? read_word + asked.wdata : asked.wdata;
        // What is added to is good, and so are the records that are written: rx_registers checks them.
        strobe = {4{adding || asked.operation == engine_pkg::EXCHANGE_WRITE}};
        if (turn[PROCESSOR]) begin
            index  = processor_address[INDEX+1:2];
            data   = processor_wdata;
            strobe = {4{processor_write}} & processor_strobe;
        end
        if (turn[HOST]) begin
            index  = host_offset[INDEX+1:2];
            data   = bus_wdata;
            strobe = {4{bus_write}} & bus_strobe;
        end
        if (turn == '0) strobe = '0;
        begins_addition = !adding && |turn[TRANSMIT:PEER] && good && asked.operation == engine_pkg::EXCHANGE_ADD;
    end

    wire unused = &{
        1'b0, asked.valid, processor_address[1:0], host_offset[1:0], others_index, inspection_response.error
    };

    // The word stays while something is written: an addition answers what was
    // there before.
    logic [31:0] read_word;

    always_ff @(posedge clk) begin
        for (int unsigned b = 0; b < 4; b++) if (strobe[b]) memory[index][8*b +: 8] <= data[8*b +: 8];
        if (!adding) read_word <= memory[index];
    end

    always_ff @(posedge clk) begin
        if (rst) begin
            adding   <= 1'b0;
            adder    <= '0;
            answered <= '0;
            ok       <= 1'b0;
            written  <= 1'b0;
            host_written <= 1'b0;
        end else begin
            adding   <= begins_addition;
            adder    <= turn;
            answered <= begins_addition ? '0 : turn;
            ok       <= good;
            written  <= |strobe && (turn[HOST] || turn[PROCESSOR]);
            host_written <= |strobe && turn[HOST];
        end
    end

    assign processor_ready = answered[PROCESSOR];
    assign processor_rdata = read_word;

    assign peer_response     = {answered[PEER], ok, read_word};
    assign messages_response = {answered[MESSAGES], ok, read_word};
    assign transmit_response = {answered[TRANSMIT], ok, read_word};

endmodule

`default_nettype wire
