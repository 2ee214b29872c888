/** The stylesheet of the docs page, light and dark, with system fonts only. */
export const stylesheet = `
:root {
  color-scheme: light dark;
  --ink: light-dark(#1b2430, #dfe5ec);
  --muted: light-dark(#56626f, #98a4b1);
  --paper: light-dark(#ffffff, #14181d);
  --panel: light-dark(#f5f7f9, #1b2128);
  --line: light-dark(#dde3e9, #2c343d);
  --accent: light-dark(#0b5c8a, #7cc4ee);
  --mark: light-dark(#fff6d6, #3a3413);
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body {
  margin: 0;
  display: grid;
  grid-template: auto 1fr / 17rem minmax(0, 1fr);
  background: var(--paper);
  color: var(--ink);
  font: 1rem/1.6 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
}
a { color: var(--accent); text-underline-offset: 0.15em; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.skip { position: absolute; left: -99rem; }
.skip:focus { left: 1rem; top: 1rem; z-index: 1; background: var(--paper); padding: 0.5rem; }
header {
  grid-column: 1 / -1;
  display: flex;
  flex-wrap: wrap;
  justify-content: space-between;
  gap: 0 2rem;
  padding: 0.75rem 1.5rem;
  border-bottom: 1px solid var(--line);
}
header p { margin: 0; }
.product { font-weight: 600; }
.version { color: var(--muted); font-weight: 400; }
.formats a { margin-right: 1rem; }
nav {
  position: sticky;
  top: 0;
  align-self: start;
  height: 100vh;
  overflow-y: auto;
  padding: 1.25rem 1rem 2rem 1.5rem;
  font-size: 0.9rem;
  border-right: 1px solid var(--line);
}
nav p, nav summary { margin: 0.3rem 0; }
nav summary { cursor: pointer; color: var(--accent); }
nav a { text-decoration: none; }
nav a:hover { text-decoration: underline; }
nav ul { margin: 0 0 0.5rem; padding-left: 1rem; list-style: none; }
main { padding: 1.5rem clamp(1rem, 4vw, 3.5rem) 6rem; max-width: 62rem; }
h1 { font-size: 2rem; line-height: 1.2; margin: 0.5rem 0; text-wrap: balance; }
h2 { font-size: 1.5rem; margin: 3.5rem 0 0.75rem; padding-top: 1rem; border-top: 1px solid var(--line); }
h3 { font-size: 1.15rem; margin: 2.25rem 0 0.5rem; }
h4, h5, h6 { font-size: 1.05rem; margin: 2.75rem 0 0.25rem; }
.summary { font-size: 1.1rem; color: var(--muted); }
.anchor { visibility: hidden; font-weight: 400; text-decoration: none; color: var(--muted); }
h2:hover .anchor, h3:hover .anchor, h4:hover .anchor, .anchor:focus { visibility: visible; }
section:target > :is(h2, h3, h4) { background: var(--mark); }
code, pre { font-family: ui-monospace, "SF Mono", Menlo, Consolas, monospace; font-size: 0.875em; }
:not(pre) > code { background: var(--panel); border-radius: 3px; padding: 0.1em 0.3em; overflow-wrap: anywhere; }
pre {
  background: var(--panel);
  border: 1px solid var(--line);
  border-radius: 6px;
  padding: 0.85rem 1rem;
  overflow: auto;
  max-height: 32rem;
  line-height: 1.5;
}
.call { display: flex; gap: 0.6rem; align-items: baseline; }
.method { font: 600 0.8rem/1 ui-monospace, Menlo, Consolas, monospace; color: var(--accent); }
.scroll { overflow-x: auto; margin: 1rem 0; }
table { border-collapse: collapse; width: 100%; font-size: 0.9rem; }
th, td { text-align: left; vertical-align: top; padding: 0.4rem 0.9rem 0.4rem 0; border-bottom: 1px solid var(--line); }
th { color: var(--muted); font-weight: 600; white-space: nowrap; }
td:first-child, td code { white-space: nowrap; }
@media (max-width: 52rem) {
  body { display: block; }
  nav { position: static; height: auto; border-right: 0; border-bottom: 1px solid var(--line); }
  td:first-child { white-space: normal; }
}
@media print {
  nav, header, .anchor { display: none; }
  body { display: block; }
  pre { white-space: pre-wrap; max-height: none; }
}
`
