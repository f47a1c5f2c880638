/**
 * Fails if a text that users read has a word that we do not use: documentation, string and template
 * literals, JSX, JSON, deployment files. Prints `file:line: word -> suggestion` for each.
 *
 *   node scripts/check-words.mjs [--all] [file or folder ...]
 *
 * `--all` also checks comments and test titles.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { parseSync } from '@swc/core'

/** Spaces in a phrase match line breaks too. */
const WORDS = [
  ['mend(?:s|ed|ing|able)?', 'fix'],
  ['put(?:s|ting)? right', 'fix, correct'],
  ['anew', 'again'],
  ['stands', 'is, is published at'],
  ['stand (?:at|there|already|below|beside|behind|before)', 'is, is published at'],
  ['stood (?:at|there|already)', 'was'],
  ['told', 'said, shown, returned'],
  ['tells', 'says, shows, returns'],
  ['hand(?:s|ed|ing)? out', 'return, send'],
  ['(?:gives?|given|gave|giving) out', 'return, send'],
  ['los(?:t|es?|ing) sight', 'unknown'],
  ['bec(?:omes?|ame) of', 'happens to'],
  ['m(?:akes?|ade) nothing of', 'ignore'],
  ['sp(?:eaks?|oke) against', 'is a concern'],
  ['DNS questions?', 'DNS query'],
  ['ask(?:s|ed|ing)? (?:the )?DNS', 'query DNS'],
  ['DNS could not be asked', "couldn't reach DNS"],
  ['sees? to it', 'makes sure'],
  ['by chance', 'random'],
  ['come to nothing', 'fail'],
  ['of itself', 'automatically'],
  ['slip of the fingers?', 'typing mistake'],
  ['one slip', 'one typing mistake'],
  ['till', 'until; payment backend'],
  ['(?:the|a|each|every|one) stall', 'resource'],
  ['goods', 'resource, report'],
  ['bargains?', 'payment attempt'],
  ['turnstiles?', 'semaphore'],
  ['doorkeepers?', 'origin guard'],
  ['purses?', 'wallet'],
  ['(?:the|this|our) (?:house|shop)', 'service, repository'],
  ['the gate', 'payment flow'],
  ['takings', 'revenue'],
  ['whatsoever', 'any'],
  // Forged mail has one name; the field is called spoofable.
  ['spoof(?:s|ed|ing|ers?)?', 'forge, forged'],
  ['faked? (?:e?mails?|messages?|senders?)', 'forged'],
  // Each is what a translation says.
  ['again and again', 'keeps …ing'],
  ['decides? alone', 'decides for itself'],
  ['without effect', 'that has no effect'],
  ['ha(?:s|ve) no verdict', "we couldn't check"],
  ['in the moment', 'when'],
  ['w(?:ere|as) (?:you|it|the payer) charged and', 'if … was charged'],
  ['lets? no', "doesn't let any"],
  ['is no (?:protection|proof|guarantee)', "doesn't protect, doesn't prove"],
  ['removed are', 'it removes'],
  ['best at (?:your|a|the)', 'ideally at'],
  ['nothing has to', "you don't need to"],
  ['could not be (?:looked up|read|reached|checked|found)', "we couldn't …, failed"],
  ['may pick another', 'may pick a different'],
  ['(?:mail|messages?|encrypted) on (?:its|their) way', 'in transit'],
  ['as(?: it)? is possible', 'if possible'],
  ['read in the reports?', 'find in the report'],
]

/** What may keep a word, and why: a whole file, or a part of it. */
const EXCEPTIONS = [
  { file: /^scripts\/check-words\.(mjs|test\.ts)$/, reason: 'lists the words' },
  { file: /(^|\/)package-lock\.json$/, reason: 'has texts of other packages' },
  {
    file: /^docs\/findings\.md$/,
    part: /<!-- findings: [\s\S]*<!-- \/findings -->/g,
    reason: 'copied from the catalog, which is checked itself',
  },
  { file: /^packages\/cli\/package\.json$/, part: /"spoofing"/g, reason: 'what people search for' },
  { file: /^docs\/security\.md$/, part: /“[^”]+”/g, reason: 'quotes test titles' },
]

const BANNED = new RegExp(
  `\\b(?:${WORDS.map(([word]) => `(${word.replaceAll(' ', '\\s+')})`).join('|')})\\b`,
  'gi',
)

const MARKDOWN_CODE = [/^```[\s\S]*?^```/gm, /`[^`\n]+`/g]
const CODE = /\.(?:ts|tsx|js|mjs|cjs)$/
const TEST = /(?:\.test\.ts$|^packages\/[a-z]+\/test\/|^packages\/testing\/|^bench\/)/
const PLAIN =
  /(?:\.(?:json|ya?ml|conf|service|example|zone|npmrc|dockerignore)|(?:^|\/)Dockerfile)$/

const args = process.argv.slice(2)
const isAll = args.includes('--all')
const found = listFiles(args.filter((arg) => arg !== '--all')).flatMap(checkFile)
for (const { file, line, word, use } of found) {
  process.stdout.write(`${file}:${line}: ${word.replace(/\s+/g, ' ')} -> ${use}\n`)
}
if (found.length > 0) {
  process.stderr.write(`${found.length} words to replace\n`)
  process.exitCode = 1
}

/** Files that are named are checked; a folder means the files in it that git knows. */
function listFiles(paths) {
  const files = paths.filter((path) => statSync(path).isFile())
  const folders = paths.filter((path) => !files.includes(path))
  if (files.length > 0 && folders.length === 0) return files
  const command = ['ls-files', '--cached', '--others', '--exclude-standard', '--', ...folders]
  const tracked = execFileSync('git', command, { encoding: 'utf8' }).trim().split('\n')
  return [...files, ...tracked.filter(isChecked)]
}

function isChecked(file) {
  const isException = EXCEPTIONS.some((it) => it.part === undefined && it.file.test(file))
  return !isException && (isAll || !TEST.test(file))
}

function checkFile(file) {
  return textsOf(file).flatMap(({ text, line }) =>
    [...text.matchAll(BANNED)].map((match) => ({
      file,
      line: line + countLines(text.slice(0, match.index)),
      word: match[0],
      use: WORDS[match.slice(1).findIndex((group) => group !== undefined)][1],
    })),
  )
}

function textsOf(file) {
  if (CODE.test(file)) return codeTexts(file)
  if (file.endsWith('.md')) return [{ text: readWithout(file, MARKDOWN_CODE), line: 1 }]
  return PLAIN.test(file) ? [{ text: readWithout(file), line: 1 }] : []
}

/** The text with spaces for the exceptions and `others`. */
function readWithout(file, others = []) {
  const parts = EXCEPTIONS.filter((it) => it.part && it.file.test(file)).map((it) => it.part)
  return [...parts, ...others].reduce(
    (text, part) => text.replace(part, (match) => match.replace(/[^\n]/g, ' ')),
    readFileSync(file, 'utf8'),
  )
}

/** The literals of a source file; with `--all` also its comments. */
function codeTexts(file) {
  const source = readFileSync(file, 'utf8')
  const bytes = Buffer.from(source)
  const spans = literalSpans(source, file)
  const texts = spans
    .map(({ start, end }) => ({
      text: bytes.subarray(start, end).toString(),
      line: 1 + countLines(bytes.subarray(0, start).toString()),
    }))
    .filter(({ text }) => !isIdentifier(text))
  return isAll ? [...texts, ...commentTexts(bytes, spans)] : texts
}

/** Such as the value of a `kind`: for programs, not for people. */
function isIdentifier(text) {
  return /^['"`]?[a-z][\w.:/-]*['"`]?$/.test(text)
}

/** Byte offsets. The first token gives the offset at which swc begins to count. */
function literalSpans(source, file) {
  const isTypeScript = /\.tsx?$/.test(file)
  const module = parseSync(`;${source.replace(/^#!/, '//')}`, {
    syntax: isTypeScript ? 'typescript' : 'ecmascript',
    tsx: file.endsWith('.tsx'),
    jsx: false,
    target: 'es2022',
  })
  const spans = []
  visit(module, (node) => {
    if (/^(?:StringLiteral|TemplateElement|JSXText|RegExpLiteral)$/.test(node.type)) {
      const start = node.span.start - module.span.start - 1
      spans.push({ start, end: node.span.end - module.span.start - 1, type: node.type })
    }
  })
  return spans
}

/** Every node that holds text; names of modules and types are for the compiler. */
function visit(node, found) {
  if (Array.isArray(node)) {
    for (const item of node) visit(item, found)
    return
  }
  if (node === null || typeof node !== 'object') return
  if (/^(?:TsTypeAnnotation|TsTypeAlias|TsInterface|TsLiteralType)/.test(node.type ?? '')) return
  if (node.type) found(node)
  for (const [key, value] of Object.entries(node)) {
    if (key !== 'span' && !(key === 'source' && value?.type === 'StringLiteral')) {
      visit(value, found)
    }
  }
}

function commentTexts(bytes, spans) {
  const rest = Buffer.from(bytes)
  for (const { start, end } of spans) {
    for (let at = start; at < end; at++) if (rest[at] !== 10) rest[at] = 32
  }
  const code = rest.toString()
  return [...code.matchAll(/\/\*[\s\S]*?\*\/|\/\/.*/g)].map((match) => ({
    text: match[0],
    line: 1 + countLines(code.slice(0, match.index)),
  }))
}

function countLines(text) {
  return text.split('\n').length - 1
}
