/** The sitemap, read with an XML parser, and robots.txt, read with a parser that crawlers use. */
import { XMLParser, XMLValidator } from 'fast-xml-parser'
import robotsModule from 'robots-parser'
import { describe, expect, test } from 'vitest'
import { sitemap } from '../../src/discovery/api-catalog.js'
import { DEPLOYMENTS, deployApp } from '../support/discovery-fixture.js'

/** Its types describe an ES module, but it is CommonJS. */
const robotsParser = robotsModule as unknown as typeof robotsModule.default

function parseLocations(xml: string): string[] {
  expect(XMLValidator.validate(xml)).toBe(true)
  const parser = new XMLParser({
    ignoreAttributes: false,
    isArray: (name) => name === 'url',
    parseTagValue: false,
  })
  const { urlset, ...prolog } = parser.parse(xml)
  expect(prolog).toEqual({ '?xml': { '@_version': '1.0', '@_encoding': 'UTF-8' } })
  const { url, ...rest } = urlset as { url: { loc: string }[] }
  expect(rest).toEqual({ '@_xmlns': 'http://www.sitemaps.org/schemas/sitemap/0.9' })
  for (const entry of url) expect(Object.keys(entry)).toEqual(['loc'])
  return url.map(({ loc }) => loc)
}

describe('sitemap', () => {
  test('lists the home page and every page once', () => {
    const xml = sitemap('https://mailgrade.example', ['/', '/docs', '/docs/findings', '/docs'])
    expect(parseLocations(xml)).toEqual([
      'https://mailgrade.example/',
      'https://mailgrade.example/docs',
      'https://mailgrade.example/docs/findings',
    ])
  })

  test('escapes XML characters', () => {
    const xml = sitemap("https://x.example/o'brien", ['/a?b=<c>&d="e"', '/größe'])
    expect(xml).toContain('&amp;d=')
    expect(parseLocations(xml)).toEqual([
      "https://x.example/o'brien/",
      "https://x.example/o'brien/a?b=%3Cc%3E&d=%22e%22",
      "https://x.example/o'brien/gr%C3%B6%C3%9Fe",
    ])
  })

  test('omits pages that robots.txt disallows', () => {
    const xml = sitemap('https://mailgrade.example', ['/reports/score', '/?domain=good.test'])
    expect(parseLocations(xml)).toEqual(['https://mailgrade.example/'])
  })

  test.each(DEPLOYMENTS)('of $name stays below the base URL', async (deployment) => {
    const { baseUrl } = deployment
    const locations = parseLocations(await (await deployApp(deployment).get('/sitemap.xml')).text())
    expect(locations[0]).toBe(`${baseUrl}/`)
    expect(locations.filter((url) => !url.startsWith(`${baseUrl}/`))).toEqual([])
  })
})

describe.each(DEPLOYMENTS)('robots.txt of $name', (deployment) => {
  const { baseUrl } = deployment
  const { origin } = new URL(baseUrl)
  const service = deployApp(deployment)

  async function read() {
    const text = await (await service.get('/robots.txt')).text()
    return robotsParser(`${origin}/robots.txt`, text)
  }

  test.each([
    '/',
    '/docs',
    '/docs/api/check',
    '/domains',
    '/badge/example.com.svg',
    '/share/example.com.png',
    '/problems',
    '/llms.txt',
    '/openapi.json',
    '/v1/check?domain=example.com',
  ])('allows %s', async (path) => {
    expect((await read()).isAllowed(baseUrl + path, 'AnyBot')).toBe(true)
  })

  test.each([
    '/reports/score?domain=example.com',
    '/sandbox/chain',
    '/?domain=example.com',
    '/domains?domains=example.com',
  ])('disallows %s', async (path) => {
    expect((await read()).isAllowed(baseUrl + path, 'AnyBot')).toBe(false)
  })

  test('names the sitemap and has no rules for other paths of the host', async () => {
    const robots = await read()
    expect(robots.getSitemaps()).toEqual([`${baseUrl}/sitemap.xml`])
    expect(robots.isAllowed(`${origin}/elsewhere/reports/score`, 'AnyBot')).toBe(true)
  })
})
