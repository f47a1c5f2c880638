import { expect, test } from 'vitest'
import { parseSpfSender } from './spf-message.js'

test.each([
  [{}, null],
  [{ ip: ' 192.0.2.1 ' }, { ip: '192.0.2.1', sender: 'postmaster@acme.test', helo: null }],
  [
    { ip: '2001:db8::1', sender: 'Ann+news@Shop.test', helo: 'mx.test' },
    { ip: '2001:db8::1', sender: 'Ann+news@shop.test', helo: 'mx.test' },
  ],
  [
    { ip: '192.0.2.1', sender: 'shop.test' },
    { ip: '192.0.2.1', sender: 'postmaster@shop.test', helo: null },
  ],
])('%j is the sender %j', (given, sender) => {
  expect(parseSpfSender(given, 'acme.test')).toEqual({ kind: 'sender', sender })
})

test.each([
  [{ sender: 'ann@acme.test' }, 'ip'],
  [{ helo: 'mx.test' }, 'ip'],
  [{ ip: '' }, 'ip'],
  [{ ip: '192.0.2' }, 'ip'],
  [{ ip: 'fe80::1%eth0' }, 'ip'],
  [{ ip: 'mail.acme.test' }, 'ip'],
  [{ ip: '192.0.2.1', sender: 'ann@@acme.test' }, 'sender'],
  [{ ip: '192.0.2.1', sender: 'not a domain' }, 'sender'],
  [{ ip: '192.0.2.1', helo: 'two words' }, 'helo'],
])('%j is refused because of %s', (given, parameter) => {
  expect(parseSpfSender(given, 'acme.test')).toMatchObject({ kind: 'refused', parameter })
})
