/** Random DMARC trees: the records at every `_dmarc` name above a domain, and DNS access to them. */

import { type Dns, type DnsAnswer, failed, type RecordType } from '@mailgrade/doh/dns'
import fc from 'fast-check'

/** The answer for a name. */
export type DmarcTreeNode =
  | { readonly kind: 'records'; readonly texts: readonly string[]; readonly alias: boolean }
  | { readonly kind: 'nodata' | 'nxdomain' | 'failing' | 'dangling' }

export interface DmarcTree {
  readonly domain: string
  /** The answer for the domain itself, for every type. */
  readonly domainNode: DmarcTreeNode
  /** The answers at `_dmarc.<name>`, by name. */
  readonly dmarcNodes: ReadonlyMap<string, DmarcTreeNode>
}

/** Mostly valid, or nearly every tree would have no policy. */
const version = fc.oneof(
  { weight: 12, arbitrary: fc.constant('v=DMARC1') },
  { weight: 3, arbitrary: fc.constantFrom('V=DMARC1', 'v = DMARC1', 'v\t=\tDMARC1', 'v=DMARC1 ') },
  {
    weight: 3,
    arbitrary: fc.constantFrom('v=dmarc1', 'v=DMARC2', 'v=DMARC1x', 'v=DMARC', 'p=none;v=DMARC1'),
  },
  { weight: 1, arbitrary: fc.constantFrom(' v=DMARC1', '\t v = DMARC1') },
)

const equals = fc.oneof(
  { weight: 8, arbitrary: fc.constant('=') },
  { weight: 1, arbitrary: fc.constantFrom(' = ', '=\t', ' =', '=\xa0') },
)
const separator = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(';', '; ') },
  { weight: 1, arbitrary: fc.constantFrom(' ; ', ';;', '; ;', '\t;\t') },
)
const policy = fc.oneof(
  { weight: 10, arbitrary: fc.constantFrom('none', 'quarantine', 'reject') },
  { weight: 1, arbitrary: fc.constantFrom('Reject', 'NONE', 'bogus', '', 'no ne') },
)

function tag(names: readonly string[], value: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.tuple(fc.constantFrom(...names), equals, value).map((parts) => parts.join(''))
}

function reportUris(hosts: readonly string[]): fc.Arbitrary<string> {
  const sound = fc.constantFrom(...hosts).map((host) => `mailto:d@${host}`)
  const uri = fc.oneof(
    { weight: 4, arbitrary: sound },
    {
      weight: 2,
      arbitrary: fc.constantFrom(
        'mailto:d@other.example!10m',
        'https://acme.test/',
        'mailto:',
        'd@acme.test',
        'mailto:a!b@acme.test',
        'mailto:d@x.test mailto:e@x.test',
        'mailto:%4',
        '',
      ),
    },
  )
  return fc.array(uri, { minLength: 1, maxLength: 3 }).map((uris) => uris.join(','))
}

function tags(hosts: readonly string[]): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 6, arbitrary: tag(['p', 'p', 'p', 'P'], policy) },
    { weight: 3, arbitrary: tag(['sp', 'sp', 'SP'], policy) },
    { weight: 3, arbitrary: tag(['np', 'np', 'Np'], policy) },
    { weight: 3, arbitrary: tag(['psd'], fc.constantFrom('y', 'n', 'u', 'Y', 'N', 'x', '')) },
    { weight: 2, arbitrary: tag(['t'], fc.constantFrom('y', 'n', 'Y', 'yes')) },
    { weight: 4, arbitrary: tag(['rua', 'ruf'], reportUris(hosts)) },
    { weight: 1, arbitrary: tag(['adkim', 'aspf', 'fo', 'pct', 'x'], fc.constantFrom('s', '1')) },
    { weight: 1, arbitrary: fc.constantFrom('__proto__=x', 'constructor=x', '=', '=reject') },
    { weight: 1, arbitrary: fc.constantFrom('p', 'sp', 'psd', 'rua', 'reject') },
  )
}

function dmarcText(hosts: readonly string[]): fc.Arbitrary<string> {
  const piece = fc.tuple(separator, tags(hosts)).map((parts) => parts.join(''))
  const rest = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(''))
  const first = fc.oneof(
    { weight: 3, arbitrary: policy.map((value) => `; p=${value}`) },
    { weight: 1, arbitrary: fc.constant('') },
  )
  return fc.tuple(version, first, rest, fc.constantFrom('', ';')).map((parts) => parts.join(''))
}

function nodeOf(hosts: readonly string[]): fc.Arbitrary<DmarcTreeNode> {
  const junk = fc.constantFrom('v=spf1 -all', 'hello', '', 'dmarc')
  const texts = fc.oneof(
    { weight: 8, arbitrary: fc.array(dmarcText(hosts), { minLength: 1, maxLength: 1 }) },
    { weight: 2, arbitrary: fc.tuple(junk, dmarcText(hosts)) },
    { weight: 1, arbitrary: fc.array(junk, { minLength: 1, maxLength: 2 }) },
    { weight: 1, arbitrary: fc.array(dmarcText(hosts), { minLength: 2, maxLength: 3 }) },
  )
  const alias = fc.integer({ min: 0, max: 7 }).map((number) => number === 0)
  return fc.oneof(
    {
      weight: 9,
      arbitrary: fc.constantFrom<DmarcTreeNode>({ kind: 'nodata' }, { kind: 'nxdomain' }),
    },
    { weight: 6, arbitrary: fc.record({ kind: fc.constant('records' as const), texts, alias }) },
    {
      weight: 1,
      arbitrary: fc.constantFrom<DmarcTreeNode>({ kind: 'failing' }, { kind: 'dangling' }),
    },
  )
}

export function withParentDomains(domain: string): string[] {
  const labels = domain.split('.')
  return labels.map((_, index) => labels.slice(index).join('.'))
}

export const randomDmarcTree: fc.Arbitrary<DmarcTree> = fc
  .array(fc.constantFrom('a', 'b', 'mail', 'acme', 'test'), { minLength: 1, maxLength: 10 })
  .chain((labels) => {
    const domain = labels.join('.')
    const names = withParentDomains(domain)
    // Reports go to the domain, its parents, below them, and elsewhere.
    const hosts = ['other.example', ...names.filter((name) => name.includes('.'))].flatMap(
      (name) => [name, `in.${name}`],
    )
    const domainNode = fc.oneof(
      { weight: 4, arbitrary: fc.constant<DmarcTreeNode>({ kind: 'nodata' }) },
      { weight: 3, arbitrary: fc.constant<DmarcTreeNode>({ kind: 'nxdomain' }) },
      {
        weight: 1,
        arbitrary: fc.constantFrom<DmarcTreeNode>({ kind: 'failing' }, { kind: 'dangling' }),
      },
    )
    const nodes = fc.tuple(...names.map(() => nodeOf(hosts)))
    return fc.tuple(domainNode, nodes).map(([self, found]) => ({
      domain,
      domainNode: self,
      dmarcNodes: new Map(names.map((name, index) => [name, found[index] ?? { kind: 'nodata' }])),
    }))
  })

/** The tree with its records replaced. */
export function rewriteTreeRecords(
  tree: DmarcTree,
  rewrite: (text: string, domain: string) => string,
): DmarcTree {
  const dmarcNodes = [...tree.dmarcNodes].map(([domain, node]): [string, DmarcTreeNode] => {
    if (node.kind !== 'records') return [domain, node]
    return [domain, { ...node, texts: node.texts.map((text) => rewrite(text, domain)) }]
  })
  return { ...tree, dmarcNodes: new Map(dmarcNodes) }
}

/** Names outside the tree exist, without useful records. */
function nodeAt(tree: DmarcTree, name: string, type: string): DmarcTreeNode {
  if (name === tree.domain) return tree.domainNode
  const policy = name.startsWith('_dmarc.')
    ? tree.dmarcNodes.get(name.slice('_dmarc.'.length))
    : null
  return (type === 'TXT' && policy) || { kind: 'nodata' }
}

/** The tree as a `Dns` for our checks. */
export function createTreeDns(tree: DmarcTree): Dns {
  const ask = async (name: string, type: RecordType): Promise<DnsAnswer> => {
    const node = nodeAt(tree, name, type)
    if (node.kind === 'failing') return failed('servfail', 'fails in this tree')
    const isAlias = node.kind === 'dangling' || (node.kind === 'records' && node.alias)
    const context = {
      cnames: isAlias ? ['alias.example'] : [],
      extendedError: null,
      resolver: 'tree',
      authenticated: false,
      ttl: 60,
    }
    if (node.kind !== 'records') {
      return { kind: node.kind === 'dangling' ? 'nxdomain' : node.kind, ...context }
    }
    return { kind: 'records', records: node.texts.map(inStrings), ...context }
  }
  return { query: ask as Dns['query'] }
}

/** The tree as a `node:dns` resolver, which throws for absent names. */
export function createTreeNodeResolver(tree: DmarcTree) {
  return async (name: string, type: string): Promise<string[][] | string[]> => {
    const node = nodeAt(tree, name, type)
    if (type === 'CNAME' && node.kind === 'dangling') return ['alias.example']
    if (node.kind === 'records') return node.texts.map(inStrings)
    const codes = {
      nodata: 'ENODATA',
      nxdomain: 'ENOTFOUND',
      dangling: 'ENOTFOUND',
      failing: 'ESERVFAIL',
    }
    throw Object.assign(new Error(`${type} ${name}`), { code: codes[node.kind] })
  }
}

/** In two character-strings, which count as one. */
function inStrings(text: string): string[] {
  const half = Math.ceil(text.length / 2)
  return [text.slice(0, half), text.slice(half)]
}
