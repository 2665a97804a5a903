package pictures

// style colours a picture by class. The background is part of the picture: a page may be dark
// where the system is light.
const style = `
svg { --paper: #ffffff; --ink: #1f2328; --soft: #59636e; --line: #8c959f; --fill: #f6f8fa; --grid: #d8dee4;
  --blue: #0969da; --orange: #bc4c00; --green: #1a7f37; --violet: #8250df; --red: #cf222e }
@media (prefers-color-scheme: dark) {
  svg { --paper: #0d1117; --ink: #f0f6fc; --soft: #9da7b3; --line: #6e7681; --fill: #161b22; --grid: #30363d;
    --blue: #58a6ff; --orange: #f0883e; --green: #3fb950; --violet: #bc8cff; --red: #ff7b72 }
}
text { font: 14px system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; fill: var(--ink) }
.paper { fill: var(--paper) }
.box { fill: var(--fill); stroke: var(--line) }
.room { fill: var(--paper); stroke: var(--line) }
.head { font-weight: 600 }
.name { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: 13px }
.soft { fill: var(--soft); font-size: 13px }
.line { stroke: var(--line); fill: none }
.grid { stroke: var(--grid); fill: none }
.arrow { stroke: var(--ink); stroke-width: 1.5; fill: none }
.tip { fill: var(--ink) }
.curve { stroke-width: 2.5; fill: none; stroke-linejoin: round; stroke-linecap: round }
.blue { stroke: var(--blue) } text.blue, circle.blue { fill: var(--blue); stroke: none }
.orange { stroke: var(--orange) } text.orange, circle.orange { fill: var(--orange); stroke: none }
.green { stroke: var(--green) } text.green, circle.green { fill: var(--green); stroke: none }
.violet { stroke: var(--violet) } text.violet, circle.violet { fill: var(--violet); stroke: none }
.red { stroke: var(--red) } text.red, circle.red { fill: var(--red); stroke: none }
.limit { stroke-width: 1.5; stroke-dasharray: 5 4; fill: none }
`
