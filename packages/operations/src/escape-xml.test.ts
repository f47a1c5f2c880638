import { expect, test } from 'vitest'
import { escapeXml } from './escape-xml.js'

test('escapes what has a meaning in XML, once', () => {
  expect(escapeXml(`<a b="c" d='e'>&amp; ü</a>`)).toBe(
    '&lt;a b=&quot;c&quot; d=&apos;e&apos;&gt;&amp;amp; ü&lt;/a&gt;',
  )
})
