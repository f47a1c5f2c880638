/** llms.txt, read with a Markdown parser. */

import { isPaid } from '@mailgrade/operations/operation'
import { OPERATIONS } from '@mailgrade/operations/operations'
import { lexer, type Token, type Tokens } from 'marked'
import { describe, expect, test } from 'vitest'
import { DEPLOYMENTS, type DeployedApp, deployApp } from '../support/discovery-fixture.js'

interface Entry {
  name: string
  url: string
  note: string
}

interface LlmsText {
  title: string
  summary: string
  introduction: string
  sections: Record<string, Entry[]>
}

/** As llmstxt.org defines it: a title, a quote, then no headings until the sections of links. */
function parseLlmsText(text: string): LlmsText {
  const tokens = lexer(text).filter(({ type }) => type !== 'space')
  const [title, quote, ...rest] = tokens
  const firstSection = rest.findIndex(({ type }) => type === 'heading')
  expect([title, quote]).toMatchObject([{ type: 'heading', depth: 1 }, { type: 'blockquote' }])
  const sections: [string, Entry[]][] = []
  for (let at = firstSection; at < rest.length; at += 2) {
    const [heading, list] = rest.slice(at, at + 2)
    expect([heading, list]).toMatchObject([{ type: 'heading', depth: 2 }, { type: 'list' }])
    sections.push([(heading as Tokens.Heading).text, (list as Tokens.List).items.map(parseEntry)])
  }
  return {
    title: (title as Tokens.Heading).text,
    summary: (quote as Tokens.Blockquote).text,
    introduction: rest
      .slice(0, firstSection)
      .map(({ raw }) => raw)
      .join(''),
    sections: Object.fromEntries(sections),
  }
}

/** `[name](url): note`, and nothing else. */
function parseEntry(item: Tokens.ListItem): Entry {
  const [text] = item.tokens as [Tokens.Text]
  const [link, ...rest] = text.tokens as [Tokens.Link, ...Token[]]
  expect([item.tokens.length, link.type]).toEqual([1, 'link'])
  const note = rest.map(({ raw }) => raw).join('')
  expect(note).toMatch(/^: \S/)
  return { name: link.text, url: link.href, note: note.slice(2) }
}

async function llmsText(service: DeployedApp) {
  return parseLlmsText(await (await service.get('/llms.txt')).text())
}

describe.each(DEPLOYMENTS)('$name', ({ baseUrl, isSandbox }) => {
  const service = deployApp({ baseUrl, isSandbox })

  test('has a title, a summary and sections of links, of which the last is optional', async () => {
    const { title, summary, sections } = await llmsText(service)
    expect(title).toBe('Mailgrade')
    expect(summary).toContain('can be forged')
    expect(Object.keys(sections)).toEqual([
      'Free checks',
      'Paid reports',
      'MCP',
      'Documentation',
      'Optional',
    ])
  })

  test('lists every endpoint, the paid ones with their prices', async () => {
    const { sections } = await llmsText(service)
    const listed = [...(sections['Free checks'] ?? []), ...(sections['Paid reports'] ?? [])]
    expect(listed.map(({ url }) => url)).toEqual(OPERATIONS.map(({ path }) => baseUrl + path))
    expect(listed.map(({ note }) => note.split('. ')[0])).toEqual(
      OPERATIONS.map((operation) =>
        isPaid(operation) ? `${operation.price} USD` : expect.stringContaining(operation.summary),
      ),
    )
  })

  test('explains how to call, what is free, how to pay, and what `unknown` means', async () => {
    const { introduction } = await llmsText(service)
    const example = isSandbox ? 'good.test' : 'example.com'
    for (const text of [
      `GET ${baseUrl}/v1/check?domain=${example}`,
      '30 requests in any 60 seconds',
      isSandbox ? 'play money' : 'USDC on Base',
      'PAYMENT-SIGNATURE',
      'params._meta["x402/payment"]',
      '`Retry-After`',
      '`unknown` means',
    ]) {
      expect(introduction).toContain(text)
    }
    expect(introduction.includes('Demo mode')).toBe(isSandbox)
  })

  test('has an example request that works', async () => {
    const { introduction } = await llmsText(service)
    const [, url = ''] = /`GET (\S+)`/.exec(introduction) ?? []
    expect((await service.fetchUrl(url)).status).toBe(200)
  })
})

const LIVE = { baseUrl: 'https://mailgrade.example', isSandbox: false }

test('lists the tools with their prices', async () => {
  const { sections } = await llmsText(deployApp(LIVE))
  expect(sections.MCP?.[0]).toMatchObject({
    name: 'POST /mcp',
    url: 'https://mailgrade.example/mcp',
    note: expect.stringContaining(
      '`check_domain_email_security` (free), `email_security_score` (0.01 USD), `check_email_address` (0.01 USD), `email_fix_plan` (1 USD), `pricing` (free).',
    ),
  })
})

test('links the site and monitoring if they are configured', async () => {
  const optional = async (env = {}) =>
    (await llmsText(deployApp(LIVE, env))).sections.Optional?.map(({ url }) => url) ?? []
  const external = (urls: string[]) => urls.filter((url) => !url.startsWith(LIVE.baseUrl))
  expect(external(await optional())).toEqual([])
  expect(
    external(
      await optional({ SITE_URL: 'https://site.example', MONITORING_URL: 'https://watch.example' }),
    ),
  ).toEqual(['https://site.example', 'https://watch.example'])
})

test('stays below 8,000 characters', async () => {
  const service = deployApp({ baseUrl: 'https://mailgrade.example', isSandbox: true })
  expect((await (await service.get('/llms.txt')).text()).length).toBeLessThan(8_000)
})
