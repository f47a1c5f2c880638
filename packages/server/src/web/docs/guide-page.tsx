/** A guide from `docs/`, converted from Markdown. */
import { readFileSync } from 'node:fs'
import { PATHS } from '@mailgrade/operations/service-paths'
import { raw } from 'hono/html'
import { Marked, type Tokens } from 'marked'
import { DOCS_FOLDER } from '../../server-files.js'
import type { Page } from '../layout.js'
import { GUIDES, type GuideName, guidePath } from '../page-paths.js'
import { useLink, useSite } from '../site-context.js'

export function guidePage(name: GuideName): Page {
  const { title, about } = GUIDES[name]
  return { title, description: about, body: <Guide text={readGuide(name)} /> }
}

export function readGuide(name: GuideName): string {
  return readFileSync(new URL(`${name}.md`, DOCS_FOLDER), 'utf8')
}

function Guide({ text }: { text: string }) {
  const link = useLink()
  const { baseUrl } = useSite()
  return <article class="guide">{raw(toHtml(withBaseUrl(text, baseUrl), link))}</article>
}

/** The guides in `docs/` show the URL of the sandbox. */
export function withBaseUrl(text: string, baseUrl: string): string {
  return text.replaceAll('http://localhost:3000', baseUrl)
}

function toHtml(text: string, link: (path: string) => string): string {
  const markdown = new Marked({
    renderer: {
      heading({ tokens, depth, text: title }) {
        const words = this.parser.parseInline(tokens)
        return `<h${depth} id="${toAnchor(title)}">${words}</h${depth}>\n`
      },
      link({ href, tokens }: Tokens.Link) {
        const words = this.parser.parseInline(tokens)
        const target = resolveTarget(href)
        // Other links, such as to source files, have no page on the site.
        return target === null
          ? words
          : `<a href="${target.startsWith('/') ? link(target) : target}">${words}</a>`
      },
    },
  })
  // Scrolling blocks must be reachable with the keyboard.
  return markdown.parse(text, { async: false }).replaceAll('<pre>', '<pre tabindex="0">')
}

/** Turns a link to another guide’s file into its path; null for a file without a page. */
function resolveTarget(href: string): string | null {
  if (/^(https?:|#)/.test(href)) return href
  const [, name = '', anchor = ''] = /^([\w-]+)\.md(#.*)?$/.exec(href) ?? []
  if (name === 'findings') return PATHS.findings + anchor
  return name in GUIDES ? guidePath(name as GuideName) + anchor : null
}

/** The same anchors as GitHub, so links to headings work in both places. */
function toAnchor(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')
}
