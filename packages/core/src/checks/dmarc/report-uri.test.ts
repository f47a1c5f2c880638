import { describe, expect, test } from 'vitest'
import { parseReportUris } from './report-uri.js'

describe('usable report URIs', () => {
  test.each([
    ['mailto:d@acme.test', 'acme.test'],
    ['MAILTO:d@Acme.Test', 'acme.test'],
    ['mailto:d+acme=x@acme.test', 'acme.test'],
    ['mailto:d@acme.test!50m', 'acme.test'],
    ['mailto:d@acme.test!1T', 'acme.test'],
    ['mailto:d@acme.test?subject=x', 'acme.test'],
    ['mailto:d%21e@acme.test', 'acme.test'],
    ['mailto:d@m%C3%BCller.test', 'xn--mller-kva.test'],
    ['mailto:d@acme.test.', 'acme.test'],
  ])('%s', (uri, host) => {
    expect(parseReportUris(uri).uris).toMatchObject([{ uri, isUri: true, host, problem: null }])
  })

  test('are separated by commas', () => {
    const { uris } = parseReportUris(' mailto:a@a.test ,,\tmailto:b@b.test!9,')
    expect(uris.map(({ uri }) => uri)).toEqual(['mailto:a@a.test', 'mailto:b@b.test!9'])
    expect(uris.map(({ withoutSizeLimit }) => withoutSizeLimit)).toEqual([
      'mailto:a@a.test',
      'mailto:b@b.test',
    ])
  })

  test('may be none', () => {
    expect(parseReportUris('')).toEqual({ uris: [], unreadCount: 0 })
    expect(parseReportUris(' , ')).toEqual({ uris: [], unreadCount: 0 })
  })
})

describe('unusable report URIs', () => {
  test.each([
    ['d@acme.test', 'is missing "mailto:"', false],
    ['acme.test', 'isn’t a valid URI', false],
    ['mailto:d@acme.test mailto:e@acme.test', 'white space', false],
    ['mailto: d@acme.test', 'white space', false],
    ['\xa0mailto:d@acme.test', 'white space', false],
    ['mailto:d!e@acme.test', 'isn’t a valid URI', false],
    ['mailto:d@acme.test!', 'isn’t a valid URI', false],
    ['mailto:d@acme.test!10x', 'isn’t a valid URI', false],
    ['mailto:d%4@acme.test', 'isn’t a valid URI', false],
    ['mailto:d\xe4@acme.test', 'isn’t a valid URI', false],
    ['https://acme.test/dmarc', 'isn’t a mailto: URI', true],
    ['mailto:', 'contains no usable email address', true],
    ['mailto:acme.test', 'contains no usable email address', true],
    ['mailto:@acme.test', 'contains no usable email address', true],
    ['mailto:d@', 'contains no usable email address', true],
    ['mailto:d@localhost', 'contains no usable email address', true],
    ['mailto:d@192.0.2.1', 'contains no usable email address', true],
    ['mailto:d@acme.test/x', 'contains no usable email address', true],
    ['mailto:d@acme.test:25', 'contains no usable email address', true],
    ['mailto:mailto:d@acme.test', 'contains no usable email address', true],
    ['mailto:%FF@acme.test', 'contains no usable email address', true],
    [`mailto:${'d'.repeat(65)}@acme.test`, 'contains no usable email address', true],
  ])('%s', (uri, problem, isUri) => {
    expect(parseReportUris(uri).uris).toMatchObject([
      { uri, host: null, isUri, problem: expect.stringContaining(problem) },
    ])
  })
})
