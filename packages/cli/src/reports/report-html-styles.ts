/** The style sheet of the HTML report, for light and dark screens and for print. */
export const STYLES = `
:root { color-scheme: light dark; --text: #1b1f24; --dim: #57606a; --page: #fff; --line: #d0d7de; --good: #1a7f37; --bad: #cf222e; --unknown: #9a6700; --share: #0969da; }
@media (prefers-color-scheme: dark) { :root { --text: #e6edf3; --dim: #9198a1; --page: #0d1117; --line: #3d444d; --good: #3fb950; --bad: #ff7b72; --unknown: #d29922; --share: #4493f8; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 68rem; margin: 0 auto; padding: 1.5rem; overflow-wrap: anywhere; }
h1, h2, h3 { line-height: 1.25; }
header { border-left: 0.4rem solid var(--unknown); padding: 0.1rem 1rem; }
header.ready { border-color: var(--good); }
header.not-ready { border-color: var(--bad); }
.verdict { font-size: 1.25rem; font-weight: 600; }
.criteria { list-style: none; padding: 0; }
.met strong { color: var(--good); }
.not-met strong, .error strong { color: var(--bad); }
.unknown strong { color: var(--unknown); }
.scroll { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; }
th, td { text-align: left; vertical-align: top; padding: 0.4rem 0.6rem; border-top: 1px solid var(--line); }
td { white-space: nowrap; font-variant-numeric: tabular-nums; }
th[scope="col"] { overflow-wrap: normal; }
th[scope="row"] { font-weight: 600; min-width: 12rem; }
small { display: block; color: var(--dim); font-weight: 400; }
.bar { display: block; width: 7rem; height: 0.4rem; margin-top: 0.25rem; background: var(--line); }
.bar span { display: block; height: 100%; background: var(--share); }
.bar.pass span { background: var(--good); }
figure { margin: 1rem 0; }
figcaption { color: var(--dim); font-size: 0.9rem; margin-bottom: 0.3rem; }
.days { display: block; width: 100%; max-height: 6rem; }
.days .pass { fill: var(--good); }
.days .fail { fill: var(--bad); }
footer { margin-top: 2rem; border-top: 1px solid var(--line); color: var(--dim); }
`
