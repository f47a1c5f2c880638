import { expect, test } from 'vitest'
import { testServiceInfo } from '../../test/support/service-info-fixture.js'
import { type Page, renderPage } from './layout.js'

const PAGE: Page = { title: 'A title', description: 'A description', body: 'Text' }

function render(page: Partial<Page>, baseUrl = 'https://mailgrade.example'): string {
  const site = { ...testServiceInfo({ baseUrl }), operations: [], assets: '/assets/x' }
  return renderPage({ ...PAGE, ...page }, site)
}

/** The `content` of every `<meta>` whose name begins with og: or twitter:. */
function readCard(html: string): Record<string, string> {
  const found = html.matchAll(/<meta (?:property|name)="((?:og|twitter):[^"]+)" content="([^"]*)"/g)
  return Object.fromEntries([...found].map(([, name = '', content = '']) => [name, content]))
}

test('platforms show the card of the service, unless the page has its own image', () => {
  const common = {
    'og:title': 'A title · Mailgrade',
    'og:description': 'A description',
    'og:type': 'website',
    'twitter:card': 'summary_large_image',
  }
  expect(readCard(render({}))).toEqual({
    ...common,
    'og:image': 'https://mailgrade.example/assets/x/card.png',
  })
  const page = { image: '/share/acme.test.png', url: '/?domain=acme.test' }
  expect(readCard(render(page, 'https://example.com/mail'))).toEqual({
    ...common,
    'og:url': 'https://example.com/mail/?domain=acme.test',
    'og:image': 'https://example.com/mail/share/acme.test.png',
    'og:image:alt': 'A title · Mailgrade',
  })
})

test('the footer is one list of links', () => {
  const service = testServiceInfo({
    contactEmail: 'help@mailgrade.example',
    monitoringUrl: 'https://monitor.example/',
  })
  const html = renderPage(PAGE, { ...service, operations: [], assets: '/assets/x' })
  const [footer = ''] = /<footer>.*<\/footer>/s.exec(html) ?? []
  expect(footer.match(/<nav/g)).toHaveLength(1)
  expect([...footer.matchAll(/href="([^"]+)"/g)].map(([, href]) => href)).toEqual([
    '/faq',
    '/privacy',
    '/terms',
    'https://monitor.example/',
    'mailto:help@mailgrade.example',
  ])
})

test('a page loads its own modules after the common one', () => {
  const scripts = (html: string) => [...html.matchAll(/<script type="module" src="([^"]+)"/g)]
  expect(scripts(render({})).map(([, src]) => src)).toEqual(['/assets/x/page.js'])
  expect(scripts(render({ scripts: ['one.js', 'two.js'] })).map(([, src]) => src)).toEqual([
    '/assets/x/page.js',
    '/assets/x/one.js',
    '/assets/x/two.js',
  ])
})
