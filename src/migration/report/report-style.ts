/** The style sheet of the report's page. */
export const pageStyle = `
:root{--ink:#1d2328;--dim:#66707a;--line:#dfe3e7;--paper:#fff;--wash:#f5f7f8;--good:#1d7a46;--unsure:#9a6200;--bad:#b3261e;--accent:#2456a6;color-scheme:light dark}
@media(prefers-color-scheme:dark){:root{--ink:#e4e8eb;--dim:#98a2ab;--line:#333b42;--paper:#14181b;--wash:#1c2226;--good:#5fc48d;--unsure:#e0ac4d;--bad:#f28b82;--accent:#8ab4f8}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI",sans-serif}
main{max-width:64rem;margin:0 auto;padding:2.5rem 1.5rem 5rem}
.eyebrow{margin:0;color:var(--accent);font-weight:600;letter-spacing:.02em}
h1{margin:.1rem 0 .3rem;font-size:1.7rem;line-height:1.25;overflow-wrap:anywhere}h1 span{color:var(--dim);font-weight:400;white-space:nowrap}
.about{margin:0;color:var(--dim)}
.verdict{margin:1.5rem 0 1rem;padding:.7rem 1rem;border-left:.3rem solid var(--good);background:var(--wash)}
.verdict.ambiguous,.verdict.losses{border-color:var(--unsure)}.verdict.failures{border-color:var(--bad)}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(13rem,1fr));gap:.75rem;margin:0 0 1rem}
.tile{padding:.7rem 1rem;border:1px solid var(--line);border-radius:.4rem;color:var(--dim)}
.tile p{margin:0}.tile b{font-size:1.6rem;line-height:1.2;color:var(--ink);font-variant-numeric:tabular-nums}
.tile dl{display:grid;grid-template-columns:1fr auto;gap:0 1rem;margin:.2rem 0 0}.tile dd{margin:0;font-weight:600;font-variant-numeric:tabular-nums}
dd.good{color:var(--good)}dd.unsure{color:var(--unsure)}dd.bad{color:var(--bad)}
.pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,22rem),1fr));gap:.75rem}
.pair figure{margin:0;min-width:0}.pair figcaption{color:var(--dim);font-size:.85rem}.pair pre{white-space:pre-wrap}.sample{margin:.8rem 0 .2rem}
section{margin-top:2.5rem}
h2{margin:0 0 .6rem;font-size:1.15rem}
.wide{overflow-x:auto}
table{border-collapse:collapse;width:100%}
th,td{padding:.3rem .8rem .3rem 0;border-bottom:1px solid var(--line);text-align:left;vertical-align:top}
thead th{color:var(--dim);font-weight:500;font-size:.85rem}
th[scope=row]{font-weight:400}
.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.bar{width:35%;vertical-align:middle}.bar i{display:block;height:.55rem;min-width:2px;border-radius:.2rem;background:var(--accent)}
code,pre,.id{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.86em;overflow-wrap:anywhere}
.dim{color:var(--dim);font-weight:400}.type{color:var(--dim);overflow-wrap:anywhere}
details{margin:.4rem 0;padding:.5rem .9rem;border:1px solid var(--line);border-radius:.4rem}
summary{cursor:pointer}details[open]>summary{margin-bottom:.5rem}
.kind{display:inline-block;padding:0 .45rem;border-radius:.25rem;background:var(--wash);color:var(--unsure);font-weight:600;font-size:.88em}.kind.bad{color:var(--bad)}
.faults{margin:0;padding:0;list-style:none}.faults li{padding:.6rem 0;border-top:1px solid var(--line)}.faults p{margin:.15rem 0;overflow-wrap:anywhere}
summary{overflow-wrap:anywhere}pre{margin:.4rem 0 0;padding:.6rem .8rem;overflow-x:auto;border-radius:.3rem;background:var(--wash);line-height:1.45}pre i{color:var(--dim);font-style:normal}
@media(max-width:40rem){main{padding:1.5rem .75rem 3rem}pre{padding:.5rem;font-size:.7em}}
mark{background:var(--bad);color:var(--paper);border-radius:.15rem}
`;
