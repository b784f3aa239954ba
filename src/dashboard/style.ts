/** The style sheet and the icon of the dashboard: light and dark, from a phone's width up, and with lines that never jump. */

/** The sheet. */
export const PAGE_STYLE = `
:root {
  color-scheme: light dark;
  --back: #f3f5f8; --card: #ffffff; --text: #1b1f24; --faint: #5a6470; --line: #dbe1e8; --accent: #0b5fb3; --soft: #e8eef6;
  --good: #1a7f4b; --warn: #9a5b00; --bad: #c02f23; --good-back: #e4f5eb; --warn-back: #fdf1dc; --bad-back: #fde8e6;
  --completed: #3fa06c; --failed: #d94a3d; --cancelled: #a7b0bb; --submitted: #3b7dd8; --started: #8a4fc4; --track: #e3e9f0;
}
@media (prefers-color-scheme: dark) {
  :root {
    --back: #0d1117; --card: #151b23; --text: #e6edf3; --faint: #9aa5b1; --line: #2a323c; --accent: #74b4ff; --soft: #1c2733;
    --good: #56d08d; --warn: #f0b35a; --bad: #ff8a7e; --good-back: #10281c; --warn-back: #2d2110; --bad-back: #331715;
    --completed: #3c9d68; --failed: #e2594c; --cancelled: #5d6773; --submitted: #6cb2ff; --started: #c39bf0; --track: #252d37;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; scrollbar-gutter: stable; }
body { margin: 0 auto; padding: 0 1rem 2rem; max-width: 84rem; background: var(--back); color: var(--text); font: .9375rem/1.45 system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
a { color: var(--accent); text-decoration: none; }
a:hover { text-decoration: underline; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: .2rem; }
main:focus { outline: none; }
h1 { margin: 0; font-size: 1.15rem; }
h2 { margin: 0 0 .6rem; font-size: 1rem; }
h3 { margin: .9rem 0 .3rem; font-size: .875rem; }
code, pre { font: .8125rem/1.45 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
.faint { color: var(--faint); font-weight: 400; }
.skip { position: absolute; left: -99rem; }
.skip:focus { left: 1rem; top: .5rem; z-index: 2; background: var(--card); padding: .3rem .6rem; }
header { display: flex; flex-wrap: wrap; align-items: center; gap: .4rem 1.5rem; padding: .8rem 0; min-height: 3.6rem; }
header nav { display: flex; gap: .25rem; }
header nav a { padding: .25rem .7rem; border-radius: 1rem; color: var(--text); }
header nav a[aria-current] { background: var(--soft); font-weight: 600; }
.live { margin: 0 0 0 auto; display: flex; align-items: center; gap: .6rem; color: var(--faint); font-size: .8125rem; font-variant-numeric: tabular-nums; }
#connection::before { content: ""; display: inline-block; width: .55rem; height: .55rem; margin-right: .4rem; border-radius: 50%; background: var(--cancelled); }
#connection.on::before { background: var(--completed); }
#connection.lost { color: var(--bad); }
#connection.lost::before { background: var(--failed); }
button { font: inherit; font-size: .8125rem; padding: .1rem .6rem; border: 1px solid var(--line); border-radius: .35rem; background: var(--card); color: var(--text); cursor: pointer; }
button:hover { border-color: var(--accent); }
button:disabled { opacity: .5; cursor: default; }
#told { position: fixed; right: 1rem; bottom: 1rem; z-index: 3; max-width: min(32rem, calc(100vw - 2rem)); margin: 0; padding: .7rem 1rem; border-radius: .5rem; border: 1px solid var(--line); background: var(--card); box-shadow: 0 4px 18px #0003; overflow-wrap: anywhere; }
#told.bad { border-left: 4px solid var(--failed); }
#told.good { border-left: 4px solid var(--completed); }
.verdict { margin-bottom: .9rem; padding: .6rem 1rem; border-radius: .6rem; border: 1px solid var(--line); }
.verdict p { margin: 0; font-size: 1.05rem; }
.verdict p::before { content: ""; display: inline-block; width: .8rem; height: .8rem; margin-right: .55rem; vertical-align: -.05rem; background: currentColor; border-radius: 50%; }
.verdict.ok { color: var(--good); background: var(--good-back); }
.verdict.warn { color: var(--warn); background: var(--warn-back); }
.verdict.warn p::before { border-radius: .1rem; transform: rotate(45deg) scale(.85); }
.verdict.fail { color: var(--bad); background: var(--bad-back); }
.verdict.fail p::before { border-radius: .1rem; }
.verdict ul { margin: .4rem 0 0; padding: 0 0 0 1.35rem; color: var(--text); max-height: 11rem; overflow: auto; }
.verdict li { overflow-wrap: anywhere; }
.verdict li::marker { color: var(--warn); }
.verdict li.fail::marker { color: var(--bad); }
.verdict.ok ul { padding-left: 1.35rem; list-style: none; }
.verdict code { display: inline-block; margin-left: .4rem; padding: 0 .4rem; border-radius: .25rem; background: var(--card); white-space: pre-wrap; }
.tiles { display: grid; grid-template-columns: repeat(8, 1fr); gap: .6rem; margin: 0 0 .9rem; }
.tiles > div { padding: .55rem .8rem; border-radius: .6rem; background: var(--card); border: 1px solid var(--line); min-width: 0; }
.tiles dt { color: var(--faint); font-size: .8125rem; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
.tiles dd { margin: 0; font-size: 1.5rem; line-height: 1.25; font-weight: 600; font-variant-numeric: tabular-nums; }
.tiles dd.faint { font-size: .75rem; line-height: 1.3; font-weight: 400; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
.tiles .failed dd:not(.faint) { color: var(--bad); }
.columns { display: grid; grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); gap: .9rem; align-items: start; }
.panel, main > section:not(.verdict) { padding: .8rem 1rem; margin-bottom: .9rem; border-radius: .6rem; background: var(--card); border: 1px solid var(--line); }
.none { margin: 0; color: var(--faint); }
.panel > p.faint { margin: .4rem 0 0; font-size: .8125rem; }
.more { float: right; font-weight: 400; font-size: .875rem; }
ul.lines, ol.lines { margin: 0; padding: 0; list-style: none; }
.line { height: 4.5rem; padding: .45rem 0; border-top: 1px solid var(--line); overflow: hidden; }
.line.single { height: 2.2rem; }
.line.double { height: 3.4rem; }
.lines > .line:first-child { border-top: 0; }
.first, .second { display: flex; align-items: baseline; gap: .5rem; white-space: nowrap; }
.first > *, .second > * { flex: none; }
.first > b, .first > .faint, .first > a.job, .second > span:first-child { flex: 0 1 auto; min-width: 0; overflow: hidden; text-overflow: ellipsis; }
.first > .faint { flex-shrink: 4; } .first > a.job { flex-shrink: 12; }
.first b a { color: inherit; }
.second { color: var(--faint); font-size: .8125rem; }
.end { margin-left: auto; font-variant-numeric: tabular-nums; }
.place { min-width: 1.4rem; color: var(--faint); font-variant-numeric: tabular-nums; }
a.job { font: .8125rem ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
form.act { display: inline; margin: 0; }
progress { -webkit-appearance: none; appearance: none; display: block; width: 100%; height: .45rem; margin: .3rem 0; border: 0; border-radius: .25rem; overflow: hidden; background: var(--track); color: var(--submitted); }
progress::-webkit-progress-bar { background: var(--track); }
progress::-webkit-progress-value { background: var(--submitted); border-radius: .25rem; transition: width .6s; }
progress::-moz-progress-bar { background: var(--submitted); border-radius: .25rem; }
progress:indeterminate::-webkit-progress-bar { background: repeating-linear-gradient(120deg, var(--track) 0 .6rem, var(--soft) .6rem 1.2rem); }
table.jobs progress { min-width: 5rem; }
.scroll { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; font-size: .875rem; }
th, td { padding: .3rem .6rem .3rem 0; text-align: left; vertical-align: middle; border-top: 1px solid var(--line); white-space: nowrap; font-weight: 400; }
thead th { border-top: 0; color: var(--faint); font-size: .8125rem; }
tbody tr { height: 2.1rem; }
td.text { width: 40%; max-width: 16rem; overflow: hidden; text-overflow: ellipsis; color: var(--faint); }
.number { text-align: right; font-variant-numeric: tabular-nums; }
th:last-child, td:last-child { padding-right: 0; }
.state { display: inline-block; padding: 0 .5rem; border-radius: .7rem; font-size: .8125rem; background: var(--soft); }
.state.active { background: var(--submitted); color: #ffffff; }
.state.completed { background: var(--good-back); color: var(--good); }
.state.failed { background: var(--bad-back); color: var(--bad); }
.state.parked, .state.delayed { background: var(--warn-back); color: var(--warn); }
.plot { margin: 0; }
.plot svg { display: block; width: 100%; height: 8.5rem; }
.plot .rule { stroke: var(--line); stroke-width: 1; vector-effect: non-scaling-stroke; }
.plot .hover { fill: transparent; }
.plot g:hover .hover { fill: var(--soft); }
.plot rect.completed { fill: var(--completed); } .plot rect.failed { fill: var(--failed); } .plot rect.cancelled { fill: var(--cancelled); }
.plot polyline { fill: none; stroke: var(--submitted); stroke-width: 1.5; vector-effect: non-scaling-stroke; }
.plot polyline.started { stroke: var(--started); stroke-dasharray: 4 3; }
.plot figcaption { display: flex; justify-content: space-between; color: var(--faint); font-size: .75rem; font-variant-numeric: tabular-nums; }
.legend { display: flex; flex-wrap: wrap; gap: .2rem 1rem; margin: .4rem 0 0; padding: 0; list-style: none; color: var(--faint); font-size: .8125rem; }
.key::before { content: ""; display: inline-block; width: .7em; height: .7em; margin-right: .4em; border-radius: 2px; background: var(--key); }
.key.completed { --key: var(--completed); } .key.failed { --key: var(--failed); } .key.cancelled { --key: var(--cancelled); } .key.submitted { --key: var(--submitted); } .key.started { --key: var(--started); }
.key.submitted::before, .key.started::before { height: 2px; vertical-align: .25em; }
dl.facts { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .25rem 1.2rem; margin: .5rem 0 0; }
dl.facts dt { color: var(--faint); }
dl.facts dd { margin: 0; overflow-wrap: anywhere; }
.id { margin: 0 0 .4rem; overflow-wrap: anywhere; }
.actions { display: flex; gap: .5rem; margin: .5rem 0; }
.actions button { padding: .3rem 1rem; }
pre { margin: .3rem 0 0; padding: .6rem .8rem; max-height: 22rem; overflow: auto; border-radius: .4rem; background: var(--back); white-space: pre-wrap; overflow-wrap: anywhere; }
.log { margin: 0; padding: 0; list-style: none; max-height: 26rem; overflow: auto; font-size: .875rem; }
.log li { padding: .15rem 0; overflow-wrap: anywhere; }
.log time { color: var(--faint); margin-right: .5rem; font-variant-numeric: tabular-nums; }
details { border-top: 1px solid var(--line); padding: .3rem 0; }
summary { cursor: pointer; }
.choices, .pages { display: flex; flex-wrap: wrap; gap: .25rem; margin-bottom: .6rem; }
.choices a, .pages a { padding: .15rem .7rem; border-radius: 1rem; color: var(--text); border: 1px solid var(--line); }
.choices a[aria-current] { background: var(--soft); font-weight: 600; }
.pages { margin: .7rem 0 0; }
footer { color: var(--faint); font-size: .8125rem; overflow-wrap: anywhere; }
@media (max-width: 64rem) {
  .tiles { grid-template-columns: repeat(4, 1fr); }
  .columns { grid-template-columns: minmax(0, 1fr); gap: 0; }
}
@media (max-width: 40rem) {
  body { padding: 0 .7rem 2rem; }
  .tiles { grid-template-columns: repeat(2, 1fr); gap: .5rem; }
  .tiles > div { display: flex; flex-wrap: wrap; align-items: baseline; column-gap: .4rem; padding: .4rem .7rem; }
  .tiles dt { width: 100%; }
  .tiles dd { font-size: 1.25rem; }
  .first > a.job { display: none; }
  .live { margin-left: 0; width: 100%; }
  .panel, main > section:not(.verdict) { padding: .7rem .8rem; }
  button { padding: .25rem .7rem; }
  th, td { padding-right: .8rem; }
}
@media (prefers-reduced-motion: reduce) { progress::-webkit-progress-value { transition: none; } }
`;

/** A road that leads on. */
export const PAGE_ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#0b5fb3"/><path d="M10 27 14 5h4l4 22z" fill="#fff"/><path d="M16 8v3m0 4v4m0 4v4" stroke="#0b5fb3" stroke-width="2"/></svg>
`;
