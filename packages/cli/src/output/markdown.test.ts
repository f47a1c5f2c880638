import { describe, expect, test } from 'vitest'
import { markdownCode, markdownCodeBlock, markdownText } from './markdown.js'

describe('text', () => {
  test.each([
    ['two\n# lines', 'two # lines'],
    ['<img src=x> & more', '&lt;img src=x&gt; &amp; more'],
    ['![x](y) [z]', '!\\[x\\](y) \\[z\\]'],
    ['a | `b` *c* _d_ ~e~ $f$ \\', 'a \\| \\`b\\` \\*c\\* \\_d\\_ \\~e\\~ \\$f\\$ \\\\'],
    ['@octocat', '@&#8203;octocat'],
    ['https://evil.test WWW.evil.test', 'https:&#8203;//evil.test WWW&#8203;.evil.test'],
    ['#1 # 1 GH-1', '\\#&#8203;1 # 1 GH-&#8203;1'],
    ['# a heading', '\\# a heading'],
    ['- a list', '\\- a list'],
    ['12) a list', '12\\) a list'],
    ['192.0.2.1', '192\\.0.2.1'],
    ['---', '\\---'],
    ['v=spf1 ip4:192.0.2.1 -all', 'v=spf1 ip4:192.0.2.1 -all'],
  ])('%j', (text, expected) => {
    expect(markdownText(text)).toBe(expected)
  })
})

describe('code', () => {
  test.each([
    ['_dmarc.acme.test', '`_dmarc.acme.test`'],
    ['a`b``c', '```a`b``c```'],
    ['`', '`` ` ``'],
    ['a\nb', '`a b`'],
  ])('%j', (text, expected) => {
    expect(markdownCode(text)).toBe(expected)
  })
})

test('the fence of a block is longer than any in it', () => {
  expect(markdownCodeBlock('a\n````\nb')).toBe('`````text\na\n````\nb\n`````')
})
