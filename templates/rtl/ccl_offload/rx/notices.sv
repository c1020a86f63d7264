// Notices of other ranks, until the control processor has read them, and the
// registers by which it does.
`default_nettype none

module notices (
    input  wire          clk,
    input  wire          rst,
    input  wire          clear,

    input  wire          arrived,     // a notice, if there is room
    input  wire engine_pkg::header_t      header,
    output logic         room,
    output logic         event_notice,
    output logic [$clog2(engine_pkg::NOTICES+1)-1:0] waiting,

    input  wire engine_pkg::reg_request_t reg_request,
    output engine_pkg::reg_response_t     reg_response
);

    localparam int unsigned WIDTH = 7 * 32;

    localparam logic [7:0] WAITING = 8'(cclo_pkg::NOTICE_WAITING_OFFSET);
    localparam logic [7:0] CONTEXT = 8'(cclo_pkg::NOTICE_COMM_CONTEXT_OFFSET);
    localparam logic [7:0] SOURCE  = 8'(cclo_pkg::NOTICE_SOURCE_OFFSET);
    localparam logic [7:0] TAG     = 8'(cclo_pkg::NOTICE_TAG_OFFSET);
    localparam logic [7:0] STRM    = 8'(cclo_pkg::NOTICE_STRM_OFFSET);
    localparam logic [7:0] NUMBER  = 8'(cclo_pkg::NOTICE_NUMBER_OFFSET);
    localparam logic [7:0] COUNT   = 8'(cclo_pkg::NOTICE_COUNT_OFFSET);
    localparam logic [7:0] SHAPE   = 8'(cclo_pkg::NOTICE_SHAPE_OFFSET);
    localparam logic [7:0] TAKE    = 8'(cclo_pkg::NOTICE_TAKE_OFFSET);

    logic [WIDTH-1:0] oldest, shown;
    logic [31:0]      context_, src, tag, strm;
    engine_pkg::collective_t collective;
    logic             valid, access, take;
    logic             unused_bits;

    assign unused_bits = ^{header, reg_request};

    fifo #(.WIDTH(WIDTH), .DEPTH(engine_pkg::NOTICES)) queue_ (
        .clk, .rst, .clear, .in_valid(arrived), .in_ready(room),
        .in_data({header.context_, header.src, header.tag, header.strm, header.collective}),
        .out_valid(valid), .out_ready(take), .out_data(oldest), .count(waiting)
    );

    assign shown  = valid ? oldest : '0;
    assign access = reg_request.valid && !reg_response.ready;
    assign take   = access && reg_request.write && reg_request.address == TAKE;
    assign {context_, src, tag, strm, collective} = shown;

    always_ff @(posedge clk) begin
        event_notice       <= arrived && !rst;
        reg_response.ready <= access && !rst;
        reg_response.error <= reg_request.write != (reg_request.address == TAKE);
        case (reg_request.address)
            WAITING: reg_response.rdata <= 32'(waiting);
            CONTEXT: reg_response.rdata <= context_;
            SOURCE:  reg_response.rdata <= src;
            TAG:     reg_response.rdata <= tag;
            STRM:    reg_response.rdata <= strm;
            NUMBER:  reg_response.rdata <= collective.number;
            COUNT:   reg_response.rdata <= collective.count;
            SHAPE:   reg_response.rdata <= collective.shape;
            TAKE:    reg_response.rdata <= '0;
            default: begin
                reg_response.error <= 1'b1;
                reg_response.rdata <= '0;
            end
        endcase
    end

endmodule

`default_nettype wire
