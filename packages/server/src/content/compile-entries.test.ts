import { expect, test } from 'vitest'
import { compileContent } from './compile-content.js'
import { compileMechanisms, compileProblems, compileTexts } from './compile-entries.js'

const MECHANISM = `# Where mail arrives (MX)

- shortFor: mail exchanger
- label: @
- notes: MX, below
- hasTarget: yes

The servers that receive your mail.

## What it is

It names a server.

It may name two.

## Why it matters

Mail is lost.

## An example, part by part

An MX record at \`example.com\`:

\`\`\`
10 mail.example.com
\`\`\`

- \`10\`: The priority.
- \`mail.example.com\`: The server: its name.

## The file at https://example.com

\`\`\`
mx: mail.example.com
max_age: 60
\`\`\`

## How to set it up

1. Publish \`10 mail.example.com\`.
2. Check your domain.
`

test('a mechanism has words, an explained example and how its record is entered', () => {
  expect(compileMechanisms(MECHANISM)).toEqual({
    mx: {
      acronym: 'MX',
      fullName: 'mail exchanger',
      everydayName: 'Where mail arrives',
      summary: 'The servers that receive your mail.',
      what: ['It names a server.', 'It may name two.'],
      why: ['Mail is lost.'],
      example: {
        intro: 'An MX record at `example.com`:',
        record: '10 mail.example.com',
        parts: [
          ['10', 'The priority.'],
          ['mail.example.com', 'The server: its name.'],
        ],
      },
      file: { title: 'The file at https://example.com', text: 'mx: mail.example.com\nmax_age: 60' },
      steps: ['Publish `10 mail.example.com`.', 'Check your domain.'],
      form: { label: '', notes: ['MX', 'below'], hasTarget: true },
    },
  })
})

test('a mechanism that is not entered at a DNS host has no form', () => {
  const text = MECHANISM.replace(/- (?:label|notes|hasTarget): .*\n/g, '')
  expect(compileMechanisms(text).mx?.form).toBe(null)
})

test.each([
  ['an unknown fact', MECHANISM.replace('hasTarget', 'hasAim'), /^Where .* form: .*"hasAim"/],
  ['an unknown note', MECHANISM.replace('MX, below', 'MY'), /^Where .* form\.notes\.0: /],
  ['an unknown part', MECHANISM.replace('What it is', 'What is it'), /"What is it"/],
  ['no steps', MECHANISM.replace(/## How[\s\S]*/, ''), /\(MX\) steps: /],
  ['a part without words', MECHANISM.replace('`10`: The', 'The'), /example\.parts\.0\.0: /],
  [
    'a part that its example lacks',
    MECHANISM.replace('`10`:', '`20`:'),
    /must explain exactly the parts/,
  ],
  ['a title without acronym', MECHANISM.replace(' (MX)', ''), /arrives acronym: /],
])('a mechanism with %s is rejected', (_, text, fault) => {
  expect(() => compileMechanisms(text)).toThrow(fault)
})

test('a problem has a meaning, and words for its page', () => {
  expect(
    compileProblems(`## invalid_input

Send \`domain\`.

- \`domain\`: That isn’t a domain

## not_found

Nothing is here.

### Page not found

Go [home](/).
`),
  ).toEqual({
    invalid_input: {
      meaning: 'Send `domain`.',
      pageTitle: null,
      inputTitles: { domain: 'That isn’t a domain' },
      more: [],
    },
    not_found: {
      meaning: 'Nothing is here.',
      pageTitle: 'Page not found',
      inputTitles: {},
      more: ['<p>Go <a href="', { name: 'base' }, '/">home</a>.</p>\n'],
    },
  })
})

test.each([
  ['no meaning', '## not_found\n', /^not_found has no meaning$/],
  ['two entries', '## a\n\nOne.\n\n## a\n\nTwo.\n', /^a is explained twice$/],
  ['two titles', '## a\n\nOne.\n\n### B\n\n### C\n', /^a has more than one title/],
  [
    'a title of no parameter',
    '## a\n\nOne.\n\n- domain: Two\n',
    /^a has a title without a parameter$/,
  ],
])('a problem with %s is rejected', (_, text, fault) => {
  expect(() => compileProblems(text)).toThrow(fault)
})

test('a fault names its file', () => {
  const files = { terms: '# Terms\n\n- description: What we do.\n\nIt costs {price}.\n' }
  expect(() => compileContent(files)).toThrow(/^terms\.md: \{price\} has no value$/)
})

test('a text has a key and one paragraph', () => {
  expect(
    compileTexts('# Payments\n\n## price\n\nIt costs {price}.\n\n## late\n\nToo late.\n'),
  ).toEqual({
    price: 'It costs {price}.',
    late: 'Too late.',
  })
})

test.each([
  ['no words', '## price\n', /^price must have exactly one paragraph$/],
  ['two paragraphs', '## price\n\nOne.\n\nTwo.\n', /^price must have exactly one paragraph$/],
  ['two entries', '## price\n\nOne.\n\n## price\n\nTwo.\n', /^price appears twice$/],
])('a text with %s is rejected', (_, text, fault) => {
  expect(() => compileTexts(text)).toThrow(fault)
})
