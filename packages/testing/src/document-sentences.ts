/** What a document says, to find it on a page and in a terminal. */

/** A small domain of each kind. */
export const DOCUMENT_ZONES = {
  'a domain without records': 'acme.test. A 192.0.2.1',
  'a policy that only monitors': `acme.test. MX 10 mx.acme.test.
mx.acme.test. A 192.0.2.1
acme.test. TXT "v=spf1 mx include:s.test ~all"
s.test. TXT "v=spf1 ip4:192.0.2.128/25 -all"
default._domainkey.acme.test. TXT "v=DKIM1; p="
_dmarc.acme.test. TXT "v=DMARC1; p=none; rua=mailto:reports@other.test"`,
  'a null MX and several records': `acme.test. MX 0 .
acme.test. TXT "v=spf1 include:%{i}.acme.test -all"
acme.test. TXT "v=spf1 a:gone.test -all"
_dmarc.acme.test. TXT "v=DMARC1; p=reject; t=y"`,
  'subdomains with a weaker policy': `acme.test. MX 10 mx.acme.test.
mx.acme.test. A 192.0.2.1
acme.test. TXT "v=spf1 mx -all"
_dmarc.acme.test. TXT "v=DMARC1; p=quarantine; sp=none; rua=mailto:d@acme.test"`,
}

const WORDS: ReadonlySet<string> = new Set(
  'answer meaning name text words label value list rows title detail fix cost size summary'.split(
    ' ',
  ),
)
/** A terminal shows only the titles of notes, and a page has other names for some parts. */
const KINDS_WITHOUT_TITLE: ReadonlySet<unknown> = new Set(['table', 'tiles', 'lookups', 'points'])

/** Without white space, in the order of the document. */
export function documentSentences(document: unknown): string[] {
  if (Array.isArray(document)) return document.flatMap(documentSentences)
  if (typeof document !== 'object' || document === null) return []
  const { kind } = document as { readonly kind?: unknown }
  if (kind === 'notes') return titlesOf(document)
  return Object.entries(document)
    .filter(([key]) => !(key === 'title' && KINDS_WITHOUT_TITLE.has(kind)))
    .filter(([key]) => !(key === 'text' && kind === 'details') && key !== 'evidence')
    .flatMap(([key, value]) => (WORDS.has(key) ? pieces(value) : documentSentences(value)))
    .map(withoutSpace)
    .filter((sentence) => sentence !== '')
}

function titlesOf(notes: object): string[] {
  const { findings } = notes as { readonly findings: readonly { readonly title: string }[] }
  return findings.map(({ title }) => withoutSpace(title))
}

/** The runs of a text; a mark may have other punctuation around it. */
function pieces(text: unknown): string[] {
  if (typeof text === 'string') return [text]
  if (Array.isArray(text)) return text.flatMap(pieces)
  const { code, mark } = text as { readonly code?: string; readonly mark?: string }
  return code === undefined && mark === undefined ? documentSentences(text) : [code ?? mark ?? '']
}

export function withoutSpace(text: string): string {
  return text.replace(/\s+/g, '')
}
