/** Every link in the documentation leads to a file, and every anchor to a place in it. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'

const GUIDES = readdirSync('docs', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.md'))
  .map((file) => join('docs', file))

test.each(['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', ...GUIDES])(
  'links in %s lead somewhere',
  (file) => {
    const links = [...readFileSync(file, 'utf8').matchAll(/\]\((?!https?:)([^)]+)\)/g)]
    const broken = links.map(([, link = '']) => link).filter((link) => !leadsSomewhere(file, link))
    expect(broken).toEqual([])
  },
)

function leadsSomewhere(from: string, link: string): boolean {
  const [path = '', anchor] = link.split('#')
  const target = path === '' ? from : join(dirname(from), path)
  return existsSync(target) && (anchor === undefined || anchorsOf(target).includes(anchor))
}

/** Headings as GitHub names them, and explicit anchors. */
function anchorsOf(file: string): string[] {
  const text = readFileSync(file, 'utf8')
  const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  )
  const explicit = [...text.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id)
  return [...headings, ...explicit]
}
