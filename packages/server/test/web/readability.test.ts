/** The most visited pages are plain English. */
import {
  HIGHEST_GRADE,
  MOST_VISITED,
  readingGrade,
  toSentences,
} from '@mailgrade/testing/readability'
import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import { describe, expect, test } from 'vitest'
import { createTestApp } from '../support/test-app.js'

const app = createTestApp(zoneDns(''), { env: {} })

test.each(MOST_VISITED)('%s can be read at US grade 9', async (path) => {
  const response = await app.get(path, { accept: 'text/html' })
  expect(response.status).toBe(200)
  const sentences = toSentences(await response.text())
  expect(sentences.length).toBeGreaterThan(5)
  expect(readingGrade(sentences)).toBeLessThanOrEqual(HIGHEST_GRADE)
})

describe('readingGrade', () => {
  test('is the formula of Flesch and Kincaid', () => {
    // 6 words with 6 syllables: 0.39 × 6 + 11.8 − 15.59.
    expect(readingGrade(['The cat sat on the mat'])).toBe(-1.4)
    // 6 words with 21 syllables.
    expect(
      readingGrade([
        'Organizational authentication misconfiguration necessitates immediate remediation',
      ]),
    ).toBeGreaterThan(20)
  })

  test('reads sentences, not code, names or controls', () => {
    const html = `<head><title>No</title></head><main><h1>Short title</h1>
      <p>You send mail as <code>v=spf1 -all</code> today. It &amp; they work well.</p>
      <ul><li>One list item here</li></ul><form><label>Your own domain name</label></form></main>`
    expect(toSentences(html)).toEqual([
      'You send mail as today.',
      'It they work well.',
      'One list item here',
    ])
  })
})
