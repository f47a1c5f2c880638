/** A guide from `docs/`, written in Markdown. */

import { readFileSync } from 'node:fs'
import { raw } from 'hono/html'
import { Marked, type Tokens } from 'marked'
import { PATHS } from '../../operations/service-paths.js'

import type { Page } from '../layout.js'
import { GUIDES, type GuideName, guidePath } from '../page-paths.js'
import { useLink, useSite } from '../site-context.js'

const FOLDER = new URL('../../../../../docs/', import.meta.url)

export function guidePage(name: GuideName): Page {
  const text = readFileSync(new URL(`${name}.md`, FOLDER), 'utf8')
  const title = GUIDES[name]
  return { title, description: `${title}.`, body: <Guide text={text} /> }
}

function Guide({ text }: { text: string }) {
  const link = useLink()
  const { baseUrl } = useSite()
  const here = text.replaceAll('http://localhost:3000', baseUrl)
  return <article class="guide">{raw(htmlOf(here, link))}</article>
}

function htmlOf(text: string, link: (path: string) => string): string {
  const markdown = new Marked({
    renderer: {
      heading({ tokens, depth, text: title }) {
        const words = this.parser.parseInline(tokens)
        return `<h${depth} id="${anchorOf(title)}">${words}</h${depth}>\n`
      },
      link({ href, tokens }: Tokens.Link) {
        const words = this.parser.parseInline(tokens)
        const target = targetOf(href)
        // Whatever else it leads to, such as the sources, is not on the site.
        return target === null
          ? words
          : `<a href="${target.startsWith('/') ? link(target) : target}">${words}</a>`
      },
    },
  })
  // What scrolls must be reached by keyboard.
  return markdown.parse(text, { async: false }).replaceAll('<pre>', '<pre tabindex="0">')
}

/** Guides refer to each other by file; null for a file that is no page. */
function targetOf(href: string): string | null {
  if (/^(https?:|#)/.test(href)) return href
  const [, name = '', anchor = ''] = /^([\w-]+)\.md(#.*)?$/.exec(href) ?? []
  if (name === 'findings') return PATHS.findings + anchor
  return name in GUIDES ? guidePath(name as GuideName) + anchor : null
}

/** As the repository's host makes them, so that links to a heading work in both places. */
function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')
}
