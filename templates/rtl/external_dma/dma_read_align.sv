// Turns lines of memory into a stream that begins at lane 0 of its first beat.
// For every command it delivers exactly the commanded bytes, whatever the memory
// answered, and one status. A command that reads nothing (void) takes no lines;
// its data are undefined.
`default_nettype none

module dma_read_align (
    input  wire          clk,
    input  wire          rst,

    input  wire          command_valid,
    output logic         command_ready,
    input  wire  [22:0]  command_bytes,
    input  wire  [5:0]   command_offset,     // of the first byte in its line
    input  wire          command_last,       // ends the packet
    input  wire  [3:0]   command_tag,
    input  wire          command_invalid,    // internal error
    input  wire          command_nowhere,    // decode error without a memory
    input  wire          command_void,

    input  wire          line_valid,
    output logic         line_ready,
    input  wire  [511:0] line_data,
    input  wire  [1:0]   line_response,

    output logic         stream_valid,
    input  wire          stream_ready,
    output logic [511:0] stream_data,
    output logic [63:0]  stream_keep,
    output logic         stream_last,

    output logic         status_valid,
    input  wire          status_ready,
    output logic [7:0]   status_data
);

    // The command at work.
    logic        busy, primed, last, invalid, nowhere, void_lines;
    logic [22:0] bytes_left;
    logic [5:0]  offset;
    logic [3:0]  tag;

    logic        advance;                    // the pipeline moves
    logic        load, go;
    logic        fits, take, emit, ends;
    logic [6:0]  held, lanes;

    // What the rest of the command needs in this step: a line, a beat, or both.
    assign fits  = bytes_left + 23'(offset) <= 23'd64 && bytes_left[22:7] == '0;
    assign take  = bytes_left != '0 && !(primed && fits);
    assign emit  = bytes_left != '0 && (offset == '0 || primed || fits);
    assign ends  = bytes_left == '0 || (emit && bytes_left <= 23'd64);
    assign lanes = bytes_left <= 23'd64 ? bytes_left[6:0] : 7'd64;
    always_comb begin
        held = '0;
        if (primed) held = fits ? 7'd64 : 7'd64 - 7'(offset);
    end

    assign go            = busy && advance && (line_valid || !take || void_lines);
    assign line_ready    = busy && advance && take && !void_lines;
    assign load          = !busy || (go && ends);
    assign command_ready = load;

    always_ff @(posedge clk) begin
        if (rst) busy <= 1'b0;
        else if (load) busy <= command_valid;
        if (load) begin
            bytes_left <= command_bytes;
            offset     <= command_offset;
            last       <= command_last;
            tag        <= command_tag;
            invalid    <= command_invalid;
            nowhere    <= command_nowhere;
            void_lines <= command_void;
            primed     <= 1'b0;
        end else if (go) begin
            if (emit) bytes_left <= bytes_left - 23'd64;
            primed <= offset != '0;
        end
    end

    // Two stages of rotation; what goes with the line.
    localparam int unsigned STEP = 26;
    logic [STEP-1:0] step0, step1, step2;
    logic            valid1, valid2;
    logic [511:0]    rotated, hold, merged;

    assign step0 = {take, emit, ends, last && bytes_left <= 23'd64, held, lanes,
                    take && !void_lines ? line_response : 2'b00, tag, invalid, nowhere};

    dma_rotate #(.LEFT(1'b0)) rotate (
        .clk, .enable(advance), .in_valid(go), .in_data(line_data), .in_lanes(offset), .out_data(rotated)
    );

    always_ff @(posedge clk) begin
        if (advance) begin
            step1 <= step0;
            step2 <= step1;
        end
        if (rst) begin
            valid1 <= 1'b0;
            valid2 <= 1'b0;
        end else if (advance) begin
            valid1 <= go;
            valid2 <= valid1;
        end
    end

    // Merge with the line before.
    logic       take2, emit2, ends2, last2, invalid2, nowhere2;
    logic [6:0] held2, lanes2;
    logic [1:0] response2;
    logic [3:0] tag2;
    logic [63:0] keep2;
    logic       slave_error, decode_error, slave_error2, decode_error2;
    logic       beat_ready, report_ready;

    assign {take2, emit2, ends2, last2, held2, lanes2, response2, tag2, invalid2, nowhere2} = step2;

    assign keep2 = ~({64{1'b1}} << lanes2);

    always_comb begin
        merged = 'x; // simulation skips what is idle
        if (valid2)
            for (int unsigned i = 0; i < 64; i++)
                merged[8*i +: 8] = 7'(i) < held2 ? hold[8*i +: 8] : rotated[8*i +: 8];
    end

    assign slave_error2  = slave_error || response2 == 2'b10;
    assign decode_error2 = decode_error || response2 == 2'b11 || nowhere2;

    always_ff @(posedge clk) begin
        if (advance && valid2 && take2) hold <= rotated;
        if (rst || (advance && valid2 && ends2)) begin
            slave_error  <= 1'b0;
            decode_error <= 1'b0;
        end else if (advance && valid2) begin
            slave_error  <= slave_error2;
            decode_error <= decode_error2;
        end
    end

    assign advance = beat_ready && report_ready;

    skid_buffer #(.WIDTH(577)) beats (
        .clk, .rst,
        .in_valid(valid2 && emit2 && report_ready), .in_ready(beat_ready),
        .in_data({last2, keep2, merged}),
        .out_valid(stream_valid), .out_ready(stream_ready),
        .out_data({stream_last, stream_keep, stream_data})
    );

    logic [$clog2(16+1)-1:0] _unused_reports;
    fifo #(.WIDTH(8), .DEPTH(16)) reports (
        .clk, .rst, .clear(1'b0),
        .in_valid(valid2 && ends2 && beat_ready), .in_ready(report_ready),
        .in_data({!(invalid2 || decode_error2 || slave_error2), slave_error2, decode_error2, invalid2, tag2}),
        .out_valid(status_valid), .out_ready(status_ready), .out_data(status_data), .count(_unused_reports)
    );

endmodule

`default_nettype wire
