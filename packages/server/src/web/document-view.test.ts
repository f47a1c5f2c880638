/** Every kind of block as HTML. */
import type { Block } from '@mailgrade/core'
import { OPERATIONS } from '@mailgrade/operations/operations'
import { DOCUMENT_BLOCKS } from '@mailgrade/testing/document-blocks'
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

const EXPECTED: Record<keyof typeof DOCUMENT_BLOCKS, readonly string[]> = {
  heading: ['<h2 id="fixes">What to fix</h2>'],
  paragraph: ['<p>See <code>s=</code> or <span class="badge fail">Fail</span></p>'],
  verdict: ['class="answer warn"', '>Almost.</p>', '>Some pass.</p>'],
  list: [
    '<ul><li>One</li><li>Two <small><code>two</code> · <a href="https://www.rfc-editor.org/rfc/rfc7208#section-4.6.4">RFC 7208 §4.6.4</a></small></li></ul>',
  ],
  facts: [
    '<dt>Key</dt><dd>good</dd>',
    '<dt>To</dt><dd><ul class="plain"><li>a</li><li>b</li></ul></dd>',
  ],
  titledFacts: ['<h3>Mail</h3>', '<dt>Ready?</dt><dd>yes</dd>'],
  records: ['<code class="text">v=spf1</code>', '<code class="text">v=spf1 -all</code>'],
  publish: ['<code>v=spf1 -all</code>', 'Where to enter these'],
  table: [
    '<th scope="col">1</th><th scope="col">2</th><th scope="col">3</th>',
    '<td>10</td><td><code>mx</code></td><td>none</td>',
  ],
  keys: [
    '<strong class="size">512 bits</strong>',
    '<code>s1</code><p>RSA</p><p class="fault">too short</p>',
    '<code class="text">p=</code>',
  ],
  details: ['<summary>3 selectors tried</summary><p class="selectors">a b c</p>'],
  steps: [
    '<h3>First</h3><ol class="fixes"><li><strong>Fix</strong><p>Publish.</p><dl class="record">',
  ],
  findings: ['<p>Why</p><p><strong>What to do.</strong> Do</p>', 'href="/learn/mx.slow"'],
  notes: ['<details class="notes"><summary>Good to know (1)</summary>'],
  path: [
    '<li><strong>A</strong> sends</li><li class="pass"><strong>SPF</strong> fails</li><li><strong>End</strong> gone</li>',
  ],
  tiles: ['<a href="#mx">Mail <small>(MX)</small></a>', 'Unknown</span></div><span>none</span>'],
  lookups: [
    'aria-label="Lookups"',
    '<figcaption>too many</figcaption>',
    '<li class="matched"><details open=""><summary><code>include:s.test</code><span class="cost"> 1 lookup</span><span class="end"> no record</span><span class="match"> ◀ matches <code>mx</code></span></summary>',
    '<li><code>a</code><span class="cost"> 1 lookup</span></li>',
  ],
  points: [
    '<rect class="used" width="84"',
    '−2: gone <small><a href="/learn/mx.x">mx.x</a></small>',
  ],
}

test.each(Object.entries(DOCUMENT_BLOCKS))('%s', async (name, block) => {
  const html = await render(block)
  for (const part of EXPECTED[name as keyof typeof EXPECTED]) expect(html).toContain(part)
})

test.each<[string, Block, string]>([
  [
    'text',
    { kind: 'paragraph', text: ['<b>', { code: '<i>' }] },
    '<p>&lt;b&gt;<code>&lt;i&gt;</code></p>',
  ],
  ['a record', { kind: 'records', records: ['v=spf1 <'] }, '<code class="text">v=spf1 &lt;</code>'],
  [
    'a record in a sentence',
    { kind: 'paragraph', text: [{ code: 'v=STSv1 <', isRecord: true }] },
    '<p><code class="text">v=STSv1 &lt;</code></p>',
  ],
])('%s from DNS is no markup', async (_, block, expected) => {
  expect(await render(block)).toContain(expected)
})
