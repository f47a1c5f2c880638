import { describe, expect, test } from 'vitest'
import { extractHost } from './domain-name.js'

function reasonOf(text: string): string {
  const found = extractHost(text)
  return found.kind === 'refused' ? found.reason : `the host ${found.host}`
}

const PART_OF_URL =
  'This looks like part of a URL. Enter only the domain, such as example.com, or a full URL that starts with https://.'
const CONTROL =
  'The text contains a control character, such as a line break or a tab. Enter one domain name on one line.'
const SPACE = 'The text contains a space. Enter one domain name, address, or URL without spaces.'
const NO_HOST =
  'This URL has no host. Enter a full URL, such as https://example.com/, or only the domain.'
const BAD_PORT =
  'The port in this URL isn’t a number up to 65535. Correct it, or enter only the domain.'
const BACKSLASH =
  'The host of this URL contains a backslash. Use slashes, as in https://example.com/.'
const ANGLE_BRACKETS = 'Angle brackets aren’t part of an address. Enter only the text between them.'
const SEVERAL = 'There’s more than one @. Enter one address, or only the domain after its @.'
const BAD_LOCAL_PART =
  'The part before the @ has a character that isn’t allowed. Correct it, or enter only the domain after the @.'
const TOO_LONG =
  'This is longer than 320 characters. Enter only the domain name, such as example.com.'
const EMPTY = 'The domain is missing. Enter one, such as example.com.'
const NOT_UNICODE = 'This isn’t valid Unicode text. Type the domain name again.'

describe('any text', () => {
  test.each([
    ['', EMPTY],
    [' \n\u3000', EMPTY],
    [`${' '.repeat(310)}example.com`, TOO_LONG],
    ['😀'.repeat(320), `the host ${'😀'.repeat(320)}`],
    ['😀'.repeat(321), TOO_LONG],
    ['exam\0ple.com', CONTROL],
    ['example.com\r\nSet-Cookie: a', CONTROL],
    ['exam\tple.com', CONTROL],
    ['exam\u0085ple.com', CONTROL],
    ['exam\u2028ple.com', CONTROL],
    ['https://example.com/\n', 'the host example.com'],
    ['https://example.com/\n/', CONTROL],
    ['exam\ud83dple.com', NOT_UNICODE],
    ['\udca9.la', NOT_UNICODE],
    ['exam ple.com', SPACE],
    ['exam\u00a0ple.com', SPACE],
    ['example.com example.org', SPACE],
  ])('%j: %s', (text, reason) => {
    expect(reasonOf(text)).toBe(reason)
  })
})

describe('URL', () => {
  test.each([
    ['//example.com', PART_OF_URL],
    ['example.com/path', PART_OF_URL],
    ['a/b.de', PART_OF_URL],
    ['example.com:25', PART_OF_URL],
    ['example.com?x', PART_OF_URL],
    ['example.com#x', PART_OF_URL],
    ['https:example.com', PART_OF_URL],
    ['https:/example.com', PART_OF_URL],
    ['example.com://example.org', PART_OF_URL],
    ['example.com/@ann.example', PART_OF_URL],
    ['example.com?to=ann@example.org', PART_OF_URL],
    ['https://', NO_HOST],
    ['file:///etc/passwd', NO_HOST],
    ['https://ann@/', NO_HOST],
    ['https://:443/', NO_HOST],
    ['https://example.com:65536/', BAD_PORT],
    ['https://example.com:http/', BAD_PORT],
    ['https://example.com:1:2/', BAD_PORT],
    ['https://example.com:+1/', BAD_PORT],
    ['https://example.com and more', SPACE],
    ['https://example.org\\@example.com/', BACKSLASH],
  ])('%j: %s', (text, reason) => {
    expect(reasonOf(text)).toBe(reason)
  })
})

describe('email address', () => {
  test.each([
    ['Ann <ann@example.com>', ANGLE_BRACKETS],
    ['"Ann" <ann@example.com>', ANGLE_BRACKETS],
    ['<ann@example.com>', ANGLE_BRACKETS],
    ['a@b@c.de', SEVERAL],
    ['"a"@b@c.de', SEVERAL],
    ['a@b.de,c@d.de', SEVERAL],
    ['mailto:a@b.de,c@d.de', SEVERAL],
    ['@example.com', 'There’s nothing before the @. Enter the whole address, or only the domain.'],
    ['ann@', 'There’s nothing after the @. Enter the whole address, such as ann@example.com.'],
    ['ann lee@example.com', SPACE],
    ['ann@ example.com', SPACE],
    ...[...'",:;()[]\\'].map((character) => [`a${character}b@example.com`, BAD_LOCAL_PART]),
    ['ann:secret@example.com', BAD_LOCAL_PART],
    ['"ann@example.com', BAD_LOCAL_PART],
    ['"ann\\"@example.com', BAD_LOCAL_PART],
    [
      'mailto:example.com',
      'This mailto link has no address. Enter one like mailto:ann@example.com.',
    ],
  ])('%j: %s', (text, reason) => {
    expect(reasonOf(text)).toBe(reason)
  })
})

describe('quoted host', () => {
  test.each([
    ['example', 'example'],
    ['https://example/', 'example'],
    ['ann@example', 'example'],
    ['mailto:ann@example?subject=x', 'example'],
    ['mailto:s@cret?word@example.com', 'The name'],
    // A password may hold any of these, and then what looks like the host is a piece of it.
    ['https://ann:s@cret/word@example.com', 'The name'],
    ['https://ann:secret@example', 'The name'],
    ['ann＠example.com', 'The name'],
    ['ann﹫example.com', 'The name'],
    ['ann%40example.com', 'The name'],
    ['a\u200bb\u202e\ue000.de', 'a\ufffdb\ufffd\ufffd.de'],
    ['a'.repeat(60), 'a'.repeat(60)],
    ['a'.repeat(61), `${'a'.repeat(60)}…`],
    ['😀'.repeat(60), '😀'.repeat(60)],
    ['😀'.repeat(61), `${'😀'.repeat(60)}…`],
  ])('%j as %j', (text, shown) => {
    expect(extractHost(text)).toMatchObject({ kind: 'host', shown })
  })
})
