/**
 * Writes the table of docs/findings.md and server.json, the entry for the MCP registry. Pass a
 * public URL to change the one in server.json. With `--check` it writes nothing and fails if a file
 * is out of date.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { FINDINGS } from '@mailgrade/core'
import { registryEntry } from '../build/mcp/server-card.js'

const START = '<!-- findings: npm run docs -->'
const END = '<!-- /findings -->'

const rows = Object.entries(FINDINGS)
const FILES = {
  'docs/findings.md': table(
    ['id', 'severity', 'title', 'points', 'reference'],
    rows.map(([id, { severity, title, points = '', reference }]) => [
      `<a id="${id}"></a>\`${id}\``,
      severity,
      title,
      String(points),
      reference,
    ]),
  ),
}

function table(head, body) {
  const widths = head.map((_, column) =>
    Math.max(...[head, ...body].map((row) => row[column].length)),
  )
  const line = (cells) => `| ${cells.map((cell, i) => cell.padEnd(widths[i])).join(' | ')} |`
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n')
}

const isCheck = process.argv.includes('--check')
for (const [file, content] of Object.entries(FILES)) {
  const text = readFileSync(file, 'utf8')
  const [before, rest] = text.split(START)
  const after = rest?.split(END)[1]
  if (after === undefined) throw new Error(`${file} has no findings markers`)
  writeOrCheck(file, `${before}${START}\n\n${content}\n\n${END}${after}`)
}
const { websiteUrl } = JSON.parse(readFileSync('server.json', 'utf8'))
const [newUrl] = process.argv.slice(2).filter((word) => word !== '--check')
const baseUrl = newUrl === undefined ? websiteUrl : parsePublicUrl(newUrl)
const entry = registryEntry({ baseUrl, name: 'Mailgrade', siteUrl: null })
writeOrCheck('server.json', `${JSON.stringify(entry, null, 2)}\n`)

/** The registry accepts only public https URLs and names the server after the domain. */
function parsePublicUrl(text) {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url?.protocol === 'https:' && /\.[a-z][a-z0-9-]*$/.test(url.hostname)) {
    return url.origin + url.pathname.replace(/\/+$/, '')
  }
  process.stderr.write(
    `${text} is not a public https URL. Pass one such as https://mail.example.com\n`,
  )
  return process.exit(1)
}

function writeOrCheck(file, content) {
  if (!isCheck) writeFileSync(file, content)
  else if (content !== readFileSync(file, 'utf8')) {
    throw new Error(`${file} is out of date; run: npm run docs`)
  }
}
