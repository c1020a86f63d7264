package report

// style is all of the page's looks, for light and for dark surroundings. The
// colours are those of the floorplan.
const style = `
:root{--page:#fff;--text:#1f2328;--soft:#59636e;--line:#d1d9e0;--panel:#f6f8fa;--accent:#0969da;--good:#1a7f37;--bad:#cf222e;--warn:#9a6700;--track:#e7ecf0;--b:#bc4c00;--c:#8250df;--d:#0f766e}
@media (prefers-color-scheme:dark){:root{--page:#0d1117;--text:#e6edf3;--soft:#9198a1;--line:#3d444d;--panel:#151b23;--accent:#4493f8;--good:#3fb950;--bad:#f85149;--warn:#d29922;--track:#2a313c;--b:#f0883e;--c:#ab7df8;--d:#39c5bb}}
*{box-sizing:border-box}
body{margin:0 auto;padding:24px 28px 48px;max-width:1120px;background:var(--page);color:var(--text);font:15px/1.45 Helvetica,Arial,"Liberation Sans",sans-serif}
h1{font-size:26px;margin:0 0 4px}h2{font-size:18px;margin:34px 0 8px;border-bottom:1px solid var(--line);padding-bottom:4px}
p{margin:6px 0}.soft{color:var(--soft)}.good{color:var(--good)}.bad{color:var(--bad)}.warn{color:var(--warn)}
.cards{display:flex;flex-wrap:wrap;gap:12px;margin:18px 0}
.card{background:var(--panel);border:1px solid var(--line);border-radius:8px;padding:10px 16px;min-width:150px;flex:1}
.card b{display:block;font-size:21px;line-height:1.3}.card span{color:var(--soft);font-size:13px}
.scroll{overflow-x:auto}
table{border-collapse:collapse;font-size:14px;margin:8px 0}
th{font-weight:600;text-align:left;color:var(--soft)}
th,td{padding:3px 14px 3px 0;border-bottom:1px solid var(--line);vertical-align:top}
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
code{font-family:ui-monospace,"DejaVu Sans Mono",monospace;font-size:13px}
ul{margin:6px 0;padding-left:22px}
svg{display:block;max-width:100%;height:auto;margin:6px 0}
svg text{font:12px Helvetica,Arial,"Liberation Sans",sans-serif;fill:var(--text)}
svg .s{fill:var(--soft)}svg .e{text-anchor:end}svg .m{text-anchor:middle}svg .h{font-weight:bold}
svg .track{fill:var(--track)}svg .bar{fill:var(--accent)}svg .ok{fill:var(--good)}svg .no{fill:var(--bad)}svg .hot{fill:var(--warn)}svg .none{fill:var(--soft)}
svg .c0{fill:var(--accent)}svg .c1{fill:var(--b)}svg .c2{fill:var(--c)}svg .c3{fill:var(--d)}svg .c4{fill:var(--warn)}svg .c5{fill:var(--soft)}
svg .axis{stroke:var(--soft);stroke-width:1}svg .grid{stroke:var(--line);stroke-width:1}
svg .curve{fill:none;stroke:var(--accent);stroke-width:2;stroke-linejoin:round}
svg .was{stroke:var(--text);stroke-width:1.5}
@media print{body{max-width:none}}
`
