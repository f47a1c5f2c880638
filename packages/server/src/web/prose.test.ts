import { OPERATIONS } from '@mailgrade/operations/operations'
import { expect, test } from 'vitest'
import { testServiceInfo } from '../../test/support/service-info-fixture.js'
import { CONTENT } from '../content/generated/content.js'
import { createDemoSample } from '../demo/demo-dns.js'
import type { ServiceInfo } from '../service-info.js'
import { findSection } from './prose.js'
import { createSitePages } from './site-pages.js'

const sample = await createDemoSample()()
const NOTHING_SET = { terms: null, money: null, contactEmail: null }
const CONTACT = { contactEmail: 'a&b@acme.test' }
const MAILTO = '<a href="mailto:a&amp;b@acme.test">a&amp;b@acme.test</a>.</p>'

function render(path: string, overrides: Partial<ServiceInfo> = {}): string {
  const site = { ...testServiceInfo(overrides), operations: OPERATIONS, assets: '/assets/x' }
  const pages = createSitePages(site, { documented: new Map(), sample })
  const [, main = ''] = (path === '/' ? pages.home() : pages.staticPage(path)).split('<main')
  return main.split('<footer')[0] ?? ''
}

test.each(['/', '/faq', '/privacy', '/terms', '/problems', '/problems/not-found', '/learn'])(
  '%s needs no value that a service may lack, and shows no place for one',
  (path) => {
    const html = render(path, NOTHING_SET)
    expect(html).toContain('<h1>')
    expect(html.match(/[{}]|<(?:p|li|ul)><\/|undefined|>null/g)).toBe(null)
  },
)

test.each([
  ['/faq', '<a href="#pay">How do I pay for a report?</a>'],
  ['/faq', '<h2 id="pay">How do I pay for a report?</h2>'],
  ['/faq', '<a href="/docs/api/score">'],
  ['/privacy', '<h2>Payments</h2>'],
  ['/privacy', '<li>For each sale: the type of report'],
  ['/terms', '<h2 id="refunds">Refunds</h2>'],
  ['/terms', ': 0.01 USD</li>'],
])('%s has %s only where reports are sold', (path, part) => {
  expect(render(path)).toContain(part)
  expect(render(path, NOTHING_SET)).not.toContain(part)
})

test.each([
  ['/faq', '<p>Have a different question? Write to '],
  ['/privacy', '<p>Questions about privacy? Write to '],
  ['/terms', '<p>Questions about these terms? Write to '],
])('%s ends with %s only if there is an address', (path, start) => {
  expect(render(path, CONTACT)).toContain(start + MAILTO)
  expect(render(path)).not.toContain('Write to')
})

test('refunds name whom to ask', () => {
  expect(render('/terms', CONTACT)).toContain('Write to us with the transaction number.')
  expect(render('/terms')).toContain(
    'Contact the operator of this site with the transaction number',
  )
  expect(render('/terms')).not.toContain('Write to us')
})

test.each([
  ['/', '<p>Example domains to try:</p>'],
  ['/privacy', 'This is a demo, so no real money moves.'],
  ['/terms', '<p>This is a demo. It uses play money, which is worth nothing.</p>'],
])('%s has %s only in the sandbox', (path, part) => {
  expect(render(path, { isSandbox: true })).toContain(part)
  expect(render(path)).not.toContain(part)
})

test('payments are said to be public only where they are real', () => {
  const fact = 'Payments are public on the blockchain'
  expect(render('/privacy')).toContain(fact)
  expect(render('/privacy', { isSandbox: true })).not.toContain(fact)
})

test('a value of the service is text, not HTML', () => {
  expect(render('/privacy', { name: 'A <b> & "C"' })).toContain(
    '<p>A &lt;b&gt; &amp; &quot;C&quot; has no accounts',
  )
})

test('links stay below the path of the service', () => {
  const html = render('/faq', { baseUrl: 'https://acme.example/mail' })
  expect(html).toContain('<a href="/mail/learn/dmarc#steps">See all steps</a>')
})

test('code that adds to a section fails if the section is gone', () => {
  expect(findSection(CONTENT.pages.home, 'why').anchor).toBe('why')
  expect(() => findSection(CONTENT.pages.home, 'wy')).toThrow('no section has the anchor wy')
})
