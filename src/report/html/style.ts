/** The style sheet of the page: light and dark, from a phone's width up, and for paper. */
export const PAGE_STYLE = `
:root {
  color-scheme: light dark;
  --back: #ffffff; --card: #f6f8fa; --text: #1b1f24; --faint: #59636e; --line: #d1d9e0; --accent: #0b62b8;
  --code: #2f7fd1; --comments: #57a773; --blanks: #c3cad2; --hot: #d65a31; --tile-line: #ffffff; --frame: #dde3e9;
}
@media (prefers-color-scheme: dark) {
  :root {
    --back: #0d1117; --card: #161b22; --text: #e6edf3; --faint: #9aa4af; --line: #30363d; --accent: #6cb2ff;
    --code: #4a9be8; --comments: #5fb381; --blanks: #4a525c; --hot: #e0703f; --tile-line: #0d1117; --frame: #262c34;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body {
  margin: 0 auto; padding: 1.25rem 1rem 3rem; max-width: 72rem; background: var(--back); color: var(--text);
  font: 1rem/1.5 system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
}
h1 { margin: 0; font-size: 1.5rem; line-height: 1.25; overflow-wrap: anywhere; }
h2 { margin: 0 0 .5rem; font-size: 1.2rem; }
section { margin-top: 2.25rem; }
p { margin: .25rem 0 .75rem; overflow-wrap: anywhere; }
.faint, .value { color: var(--faint); font-size: .875rem; }
.skip { position: absolute; left: -99rem; }
.skip:focus { position: static; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(7.5rem, 1fr)); gap: .75rem; margin: 1.25rem 0 0; }
.cards div { padding: .6rem .8rem; border: 1px solid var(--line); border-radius: .5rem; background: var(--card); }
.cards dt { color: var(--faint); font-size: .8rem; }
.cards dd { margin: 0; font-size: 1.3rem; font-weight: 600; font-variant-numeric: tabular-nums; }
ul.legend, ul.bars { margin: 0 0 .75rem; padding: 0; list-style: none; }
ul.legend { display: flex; flex-wrap: wrap; gap: .25rem 1rem; color: var(--faint); font-size: .875rem; }
.key::before {
  content: ""; display: inline-block; width: .8em; height: .8em; margin-right: .4em; border-radius: 2px;
  vertical-align: -.05em; background: var(--key);
}
.key.code { --key: var(--code); } .key.comments { --key: var(--comments); } .key.blanks { --key: var(--blanks); }
ul.bars li { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 1rem; margin-bottom: .55rem; }
ul.bars .label { font-weight: 600; overflow-wrap: anywhere; }
.bar { flex: 0 0 100%; width: 100%; height: .8rem; border-radius: .25rem; background: var(--card); }
rect.code { fill: var(--code); } rect.comments { fill: var(--comments); } rect.blanks { fill: var(--blanks); } rect.hot { fill: var(--hot); }
.scroll { overflow: auto; max-height: min(36rem, 80vh); border: 1px solid var(--line); border-radius: .5rem; }
table { width: 100%; border-collapse: collapse; font-size: .9rem; }
th, td { padding: .35rem .7rem; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
tbody tr:last-child > * { border-bottom: 0; }
tbody tr:hover { background: var(--card); }
thead th { position: sticky; top: 0; z-index: 1; box-shadow: inset 0 -1px var(--line); background: var(--card); white-space: nowrap; font-weight: 600; }
tbody th { font-weight: 400; min-width: 9rem; max-width: 34rem; overflow-wrap: anywhere; }
tfoot th, tfoot td { font-weight: 600; border-top: 2px solid var(--line); border-bottom: 0; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
thead button { all: unset; cursor: pointer; font: inherit; }
thead button:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
thead th[aria-sort="ascending"] button::after { content: " \\2191"; }
thead th[aria-sort="descending"] button::after { content: " \\2193"; }
.tools { display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; align-items: center; margin-bottom: .5rem; }
.tools select { font: inherit; padding: .2rem .4rem; color: inherit; background: var(--card); border: 1px solid var(--line); border-radius: .3rem; }
#crumbs { overflow-wrap: anywhere; }
#crumbs button { all: unset; cursor: pointer; color: var(--accent); text-decoration: underline; }
#crumbs button:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
#tiles { position: relative; height: min(36rem, 75vh); min-height: 22rem; overflow: hidden; border-radius: .5rem; background: var(--card); }
.tile {
  position: absolute; display: block; overflow: hidden; margin: 0; padding: 0; border: 0; border-radius: 0; text-align: left;
  font: .75rem/1.1rem system-ui, "Segoe UI", Roboto, Arial, sans-serif; color: #14181d; box-shadow: inset 0 0 0 1px var(--tile-line);
}
button.tile { cursor: pointer; }
button.tile:focus-visible { outline: 3px solid var(--accent); outline-offset: -3px; z-index: 2; }
.tile .name { position: absolute; top: 2px; left: 5px; right: 4px; overflow: hidden; white-space: nowrap; text-overflow: ellipsis; }
.tile.folder > .name { font-weight: 600; }
.tile:hover > .name { text-decoration: underline; }
.c0, .key.c0 { --key: #f4efc9; } .c1, .key.c1 { --key: #f6cf79; } .c2, .key.c2 { --key: #f0994a; } .c3, .key.c3 { --key: #e07245; }
.c4, .key.c4 { --key: #8f1d1d; } .cx, .key.cx { --key: #c9ced6; }
.g0 { --key: #8ecae6; } .g1 { --key: #ffc94d; } .g2 { --key: #95d5b2; } .g3 { --key: #f4a6b7; } .g4 { --key: #c8b6ff; }
.g5 { --key: #e0c097; } .g6 { --key: #b5c99a; } .g7 { --key: #9fb3c8; } .g8 { --key: #c9ced6; }
.tile { background: var(--key); }
.tile.c4 { color: #ffffff; }
.tile.open { background: var(--frame); color: var(--text); }
#detail { min-height: 1.5rem; margin: .5rem 0; font-size: .9rem; overflow-wrap: anywhere; }
footer { margin-top: 3rem; color: var(--faint); font-size: .85rem; }
@media (max-width: 40rem) {
  body { padding: 1rem .75rem 2rem; }
  .cards { grid-template-columns: repeat(2, 1fr); gap: .5rem; }
  #tiles { height: 70vh; }
  th, td { padding: .35rem .5rem; }
  tbody th { min-width: 11rem; max-width: 60vw; }
}
@media print { .tools, .skip { display: none; } .scroll { overflow: visible; max-height: none; } section { break-inside: avoid-page; } }
`;
