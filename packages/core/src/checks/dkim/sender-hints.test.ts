import { describe, expect, test } from 'vitest'
import { declaresNoMail, findMailboxProviders, findNamedHosts } from './sender-hints.js'

const mx = (...exchanges: string[]) =>
  exchanges.map((exchange, index) => ({ preference: 100 - index, exchange }))

test('lists mailbox providers once, most preferred first', () => {
  const servers = mx(
    'aspmx.l.google.com',
    'nobody.test',
    'x.mimecast.com',
    'alt1.aspmx.l.google.com',
  )
  expect(findMailboxProviders(servers).map(({ id }) => id)).toEqual(['google', 'mimecast'])
})

describe('included senders', () => {
  test.each([
    ['v=spf1 include:_spf.google.com ~all', ['google']],
    ['V=SPF1  a  +INCLUDE:_spf.Google.com.  REDIRECT=amazonses.com', ['google', 'ses']],
    ['v=spf1 include:sendgrid.net include:sendgrid.net', ['sendgrid']],
    ['v=spf1 a:sendgrid.net exists:sendgrid.net exp=sendgrid.net', []],
    ['v=spf1 include:%{d}.sendgrid.net', []],
    ['v=spf10 include:sendgrid.net', []],
    ['include:sendgrid.net v=spf1', []],
    ['v=spf1', []],
  ])('%s: %j', (text, ids) => {
    const named = findNamedHosts(['hello', text], 'acme.test')
    expect([...new Set(named.flatMap(({ service }) => service?.id ?? []))]).toEqual(ids)
  })

  test('are limited to twenty hosts', () => {
    const many = Array.from({ length: 5000 }, (_, index) => `include:h${index}.test`)
    const named = findNamedHosts([`v=spf1 ${many.join(' ')} include:sendgrid.net`], 'acme.test')
    expect(named.map(({ host }) => host)).toEqual(many.slice(0, 20).map((term) => term.slice(8)))
  })
})

describe('declaresNoMail', () => {
  test.each([
    [['v=spf1 -all'], mx()],
    [['v=spf1  -ALL '], mx('mx.acme.test')],
    [['hello', 'v=spf1 -all'], mx('.')],
    [[], mx('.')],
    [['v=spf1 ~all'], mx('.')],
    [['v=spf1'], mx('.')],
  ])('is true for %j and %j', (texts, servers) => {
    expect(declaresNoMail(servers, texts)).toBe(true)
  })

  test.each([
    [[], mx()],
    [['v=spf1 ~all'], mx('mx.acme.test')],
    [['v=spf1'], mx()],
    [['v=spf1 +all'], mx('.')],
    [['v=spf1 mx -all'], mx('.')],
    [['v=spf1 -all', 'v=spf1 -all'], mx()],
    [['v=spf1 -all', 'v=spf1 -all'], mx('.')],
    [[], mx('.', 'mx.acme.test')],
  ])('is false for %j and %j', (texts, servers) => {
    expect(declaresNoMail(servers, texts)).toBe(false)
  })
})
