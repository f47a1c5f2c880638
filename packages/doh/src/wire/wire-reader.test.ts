import { encodeWireName } from '@mailgrade/testing/dns-message'
import { expect, test } from 'vitest'
import { WireReader } from './wire-reader.js'

const ROOT = Buffer.of(0)
const START = 3

/** Whether the name in the message equals the text, and how many octets were skipped. */
function skip(wire: Buffer, name: string) {
  const reader = new WireReader(Buffer.concat([Buffer.alloc(START, 0x61), wire]))
  reader.offset = START
  const isEqual = reader.skipNameIf(name)
  return { isEqual, skipped: reader.offset - START }
}

test.each([
  ['acme.test', ['acme', 'test']],
  ['a.b.c', ['a', 'b', 'c']],
  ['x_-9', ['x_-9']],
  [`${'x'.repeat(63)}.test`, ['x'.repeat(63), 'test']],
])('skips %s', (name, labels) => {
  const wire = encodeWireName(labels, ROOT)
  expect(skip(Buffer.concat([wire, Buffer.from('more')]), name)).toEqual({
    isEqual: true,
    skipped: wire.length,
  })
})

test.each<[string, string, Buffer]>([
  ['another name', 'acme.test', encodeWireName(['acne', 'test'], ROOT)],
  ['a longer name', 'acme.test', encodeWireName(['acme', 'test', 'x'], ROOT)],
  ['a shorter name', 'acme.test', encodeWireName(['acme'], ROOT)],
  ['a dot inside a label', 'acme.test', encodeWireName(['acme.test'], ROOT)],
  ['labels that end elsewhere', 'ac.me.test', encodeWireName(['ac.me', 'test'], ROOT)],
  ['a label whose length is a character of the text', 'a.b', Buffer.from('\u0001a.b\0')],
  ['a raw backslash', 'a\\\\b', encodeWireName(['a\\\\b'], ROOT)],
  ['upper case', 'acme.test', encodeWireName(['Acme', 'test'], ROOT)],
  ['a pointer', 'acme.test', encodeWireName(['acme'], Buffer.of(0xc0, 0x00))],
  ['a message that ends in the name', 'acme.test', Buffer.from('\u0004acm')],
  ['a message that ends before the root', 'acme.test', Buffer.from('\u0004acme\u0004test')],
  ['no octet at all', 'acme.test', Buffer.of()],
])('skips nothing of %s', (_, name, wire) => {
  expect(skip(wire, name)).toEqual({ isEqual: false, skipped: 0 })
})
