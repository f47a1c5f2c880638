/** The page that a problem's `type` address leads to, readable without scripts. */
import { html } from 'hono/html'
import { PROBLEMS, type ProblemCode } from '../operations/problems.js'

export function problemPage(code: ProblemCode) {
  const { status, title, meaning } = PROBLEMS[code]
  return html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<h1>${title}</h1>
<p>HTTP status ${status}, code <code>${code}</code></p>
<p>${meaning}</p>
</html>`
}
