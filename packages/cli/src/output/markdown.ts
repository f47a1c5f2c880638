/** Text from DNS and users in GitHub Flavored Markdown, never as markup. */

/** An invisible break. GitHub looks for mentions and links after it has removed backslashes. */
const BREAK = '&#8203;'

export function markdownText(text: string): string {
  return (
    toOneLine(text)
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replace(/[\\`*_[\]|~$]/g, '\\$&')
      // What would begin a heading or a list.
      .replace(/^(\d*)(?=[#.)+=-])/, '$1\\')
      .replace(/@|:(?=\/\/)|\bwww(?=\.)|#(?=\d)|\bGH-(?=\d)/gi, `$&${BREAK}`)
  )
}

/** Not for a cell of a table, where `|` would need an escape. */
export function markdownCode(text: string): string {
  const line = toOneLine(text)
  const fence = '`'.repeat(longestRun(line) + 1)
  const space = /^[` ]|[` ]$/.test(line) ? ' ' : ''
  return `${fence}${space}${line}${space}${fence}`
}

export function markdownCodeBlock(text: string): string {
  const fence = '`'.repeat(Math.max(3, longestRun(text) + 1))
  return `${fence}text\n${text}\n${fence}`
}

function toOneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

function longestRun(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length))
}
