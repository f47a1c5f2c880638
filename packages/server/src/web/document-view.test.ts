/** Every kind of block as HTML. */
import type { Block } from '@mailgrade/core'
import { OPERATIONS } from '@mailgrade/operations/operations'
import { jsx } from 'hono/jsx'
import { expect, test } from 'vitest'
import { testServiceInfo } from '../../test/support/service-info-fixture.js'
import { DocumentView } from './document-view.js'
import { SiteProvider } from './site-context.js'

const SITE = { ...testServiceInfo(), operations: OPERATIONS, assets: '/assets/x' }

async function render(block: Block): Promise<string> {
  const view = jsx(DocumentView as never, { blocks: [block] })
  return String(await jsx(SiteProvider as never, { value: SITE }, view).toString())
}

const RECORD = { type: 'TXT', name: 'acme.test', value: 'v=spf1 <-all>' } as const
const FINDING = {
  id: 'mx.slow',
  severity: 'low',
  title: 'Slow',
  detail: 'It takes long.',
  fix: 'Wait.',
  evidence: [],
  reference: 'RFC 5321 §5.1',
} as const
const LEAF = {
  term: 'a',
  cost: '1 lookup',
  state: null,
  record: null,
  isMatched: false,
  match: null,
}

const VOCABULARY: readonly (readonly [Block, ...string[]])[] = [
  [
    { kind: 'heading', text: 'What to fix', level: 2, id: 'fixes' },
    '<h2 id="fixes">What to fix</h2>',
  ],
  [
    { kind: 'paragraph', text: ['<b>', { code: '<i>' }, { mark: 'Fail', tone: 'fail' }] },
    '<p>&lt;b&gt;<code>&lt;i&gt;</code><span class="badge fail">Fail</span></p>',
  ],
  [
    { kind: 'paragraph', text: [{ code: 'v=STSv1', isRecord: true }] },
    '<p><code class="text">v=STSv1</code></p>',
  ],
  [
    { kind: 'verdict', status: 'warn', label: 'Partly', answer: 'Almost.', meaning: 'Some pass.' },
    'class="answer warn"',
    '>Almost.</p>',
    '>Some pass.</p>',
  ],
  [
    {
      kind: 'list',
      items: [{ text: 'One' }, { text: 'Two', id: 'two', reference: 'RFC 5321 §5.1' }],
    },
    '<ul><li>One</li><li>Two <small><code>two</code> · <a href="https://www.rfc-editor.org/rfc/rfc5321#section-5.1">RFC 5321 §5.1</a></small></li></ul>',
  ],
  [
    {
      kind: 'facts',
      title: 'Mail',
      facts: [
        { label: 'Key', value: 'good' },
        { label: 'To', value: '', list: ['a', [{ code: 'b' }]] },
      ],
    },
    '<h3>Mail</h3>',
    '<dt>Key</dt><dd>good</dd>',
    '<dt>To</dt><dd><ul class="plain"><li>a</li><li><code>b</code></li></ul></dd>',
  ],
  [{ kind: 'records', records: ['v=spf1 <'] }, '<code class="text">v=spf1 &lt;</code>'],
  [
    { kind: 'publish', records: [RECORD] },
    '<code>v=spf1 &lt;-all&gt;</code>',
    'Where to enter these',
  ],
  [
    {
      kind: 'table',
      title: 'Servers',
      columns: ['Server', 'To'],
      rows: [[[{ code: 'mx' }], 'none']],
    },
    '<th scope="col">Server</th><th scope="col">To</th>',
    '<td><code>mx</code></td><td>none</td>',
  ],
  [
    {
      kind: 'keys',
      keys: [{ name: 's1', size: '512 bits', text: 'RSA', problems: ['short'], record: 'p=' }],
    },
    '<strong class="size">512 bits</strong>',
    '<code>s1</code><p>RSA</p><p class="fault">short</p>',
    '<code class="text">p=</code>',
  ],
  [
    { kind: 'details', summary: '3 tried', text: 'a b c' },
    '<summary>3 tried</summary><p class="selectors">a b c</p>',
  ],
  [
    { kind: 'steps', title: 'First', steps: [{ title: 'Fix', text: 'Publish.', record: RECORD }] },
    '<h3>First</h3><ol class="fixes"><li><strong>Fix</strong><p>Publish.</p><dl class="record">',
  ],
  [
    { kind: 'findings', first: 1, findings: [{ ...FINDING, evidence: [] }] },
    '<p>It takes long.</p><p><strong>What to do.</strong> Wait.</p>',
    'href="/learn/mx.slow"',
  ],
  [
    { kind: 'notes', title: 'Good to know', findings: [{ ...FINDING, evidence: [] }] },
    '<details class="notes"><summary>Good to know (1)</summary>',
  ],
  [
    {
      kind: 'path',
      title: 'Path',
      stops: [
        { name: 'SPF', text: 'fails', status: 'pass' },
        { name: 'End', text: 'gone' },
      ],
    },
    '<li class="pass"><strong>SPF</strong> fails</li><li><strong>End</strong> gone</li>',
  ],
  [
    {
      kind: 'tiles',
      title: 'Yours',
      tiles: [{ id: 'mx', name: 'Mail', acronym: 'MX', status: 'pass', text: '1 server' }],
    },
    '<a href="#mx">Mail <small>(MX)</small></a>',
    'Good</span></div><span>1 server</span>',
  ],
  [
    {
      kind: 'lookups',
      title: 'Lookups',
      used: 12,
      limit: 10,
      words: 'too many',
      tree: {
        ...LEAF,
        term: 'acme.test',
        cost: '',
        children: [
          {
            ...LEAF,
            isMatched: true,
            match: ['◀ ', { code: 'a' }],
            state: 'no record',
            children: [],
          },
        ],
      },
    },
    'aria-label="Lookups"',
    '<figcaption>too many</figcaption>',
    '<li class="matched"><code>a</code><span class="cost"> 1 lookup</span><span class="end"> no record</span><span class="match"> ◀ <code>a</code></span></li>',
  ],
  [
    {
      kind: 'points',
      title: 'Points',
      columns: ['Part'],
      rows: [
        {
          name: 'MX',
          points: 3,
          max: 5,
          words: '3 of 5',
          losses: [{ id: 'mx.x', text: '−2: gone' }],
        },
      ],
    },
    '<rect class="used" width="84"',
    '−2: gone <small><a href="/learn/mx.x">mx.x</a></small>',
  ],
]

const CASES = VOCABULARY.map(([block, ...expected]) => ({ kind: block.kind, block, expected }))

test.each(CASES)('$kind', async ({ block, expected }) => {
  const html = await render(block)
  for (const part of expected) expect(html).toContain(part)
})
