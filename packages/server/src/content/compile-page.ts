/** Turns a page in `content/`, whose README says how it is written, into HTML with places for values. */
import { Marked, type Token } from 'marked'
import {
  type Choice,
  type PageTemplate,
  type Section,
  type Template,
  VALUE_NAMES,
  type ValueName,
} from './page-template.js'

const NAMES: readonly string[] = VALUE_NAMES
const START = /^# (.+)\n\n- description: (.+)\n/
const ANCHOR = / \{#([a-z0-9-]+)\}$/
const CLASS = / \{\.([a-z-]+)\}$/

const markdown = new Marked({
  // Otherwise an address becomes a link, also in the middle of a place.
  gfm: false,
  renderer: {
    paragraph({ tokens }) {
      const words = this.parser.parseInline(tokens)
      const [end = '', name] = CLASS.exec(words) ?? []
      const start = name ? `p class="${name}"` : 'p'
      return inBlock(start, words.slice(0, words.length - end.length))
    },
    listitem({ tokens }) {
      return inBlock('li', this.parser.parse(tokens))
    },
    link({ href, tokens }) {
      const base = href.startsWith('/') ? '{base}' : ''
      return `<a href="${base}${href}">${this.parser.parseInline(tokens)}</a>`
    },
  },
})

export function compilePage(text: string): PageTemplate {
  const [start, title = '', description = ''] = START.exec(text) ?? []
  if (start === undefined) throw new Error('a page starts with its title and description')
  rejectFaults(findRepeatedAnchors(text))
  const page = markdown.lexer(text.slice(start.length))
  const end = page.findIndex(({ type }) => type === 'hr')
  const [intro = [], ...sections] = splitSections(end < 0 ? page : page.slice(0, end))
  return {
    title,
    description,
    intro: compileBlocks(intro),
    sections: sections.map(compileSection),
    end: end < 0 ? [] : compileBlocks(page.slice(end + 1)),
  }
}

export function rejectFaults(faults: readonly string[]): void {
  if (faults.length > 0) throw new Error(faults.join('\n'))
}

function findRepeatedAnchors(text: string): string[] {
  const anchors = [...text.matchAll(/\{#([a-z0-9-]+)\}$/gm)].map(([, anchor = '']) => anchor)
  const repeated = anchors.filter((anchor, index) => anchors.indexOf(anchor) !== index)
  return repeated.map((anchor) => `two sections have the anchor ${anchor}`)
}

/** The first is what comes before any heading. */
export function splitSections(tokens: readonly Token[]): Token[][] {
  const sections: Token[][] = [[]]
  for (const token of tokens) {
    if (token.type === 'heading') sections.push([])
    sections.at(-1)?.push(token)
  }
  return sections
}

function compileSection([heading, ...blocks]: Token[]): Section {
  const text = heading && 'text' in heading ? String(heading.text) : ''
  const title = parseTemplate(markdown.parseInline(text.replace(ANCHOR, ''), { async: false }))
  const choice = onlyChoice(title)
  return {
    anchor: ANCHOR.exec(text)?.[1] ?? null,
    given: choice?.given ?? null,
    title: choice?.words ?? title,
    body: compileBlocks(blocks),
  }
}

/** The blocks of a page, or of a part of one. */
export function compileBlocks(tokens: Token[]): Template {
  return parseTemplate(markdown.parser(tokens))
}

/** Words that are only shown where a value is given take their element with them. */
function inBlock(start: string, words: string): string {
  const choice = onlyChoice(parseTemplate(words))
  if (choice) return `{${choice.given}:${inBlock(start, words.slice(words.indexOf(':') + 1, -1))}}`
  if (/^\{\w+\}$/.test(words)) return words
  const [tag] = start.split(' ')
  return `<${start}>${words}</${tag}>\n`
}

function onlyChoice([piece, ...others]: Template): Choice | null {
  const isOnly = others.length === 0 && typeof piece === 'object' && 'given' in piece
  return isOnly && piece.otherwise.length === 0 ? piece : null
}

/** `{name}`, `{name:words}` and `{name:words|otherwise}`; words may have places, too. */
function parseTemplate(html: string): Template {
  rejectFaults(findUnknownNames(html))
  const pieces = html.split(/(\{\w+[:}]|[|{}])/).filter((piece) => piece !== '')
  const template = readTemplate(pieces, [])
  rejectFaults(pieces.length > 0 ? [`a brace is unmatched: ${html}`] : [])
  return template
}

function findUnknownNames(html: string): string[] {
  const names = [...html.matchAll(/\{([^{}:|]*)[:}]/g)].map(([, name = '']) => name)
  return names.filter((name) => !NAMES.includes(name)).map((name) => `{${name}} has no value`)
}

/** Takes what it reads from the pieces, up to the first of `ends`. */
function readTemplate(pieces: string[], ends: readonly string[]): Template {
  const template: Template[number][] = []
  while (pieces[0] !== undefined && pieces[0] !== '}' && !ends.includes(pieces[0])) {
    const piece = pieces.shift() ?? ''
    const [, name, mark] = /^\{(\w+)([:}])$/.exec(piece) ?? []
    if (!name) template.push(piece)
    else if (mark === '}') template.push({ name: name as ValueName })
    else template.push(readChoice(name as ValueName, pieces))
  }
  return template
}

function readChoice(given: ValueName, pieces: string[]): Choice {
  const words = readTemplate(pieces, ['|'])
  const hasOther = pieces[0] === '|'
  if (hasOther) pieces.shift()
  const otherwise = hasOther ? readTemplate(pieces, []) : []
  if (pieces.shift() !== '}') throw new Error(`{${given}: has no closing brace`)
  return { given, words, otherwise }
}
