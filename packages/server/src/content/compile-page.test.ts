import { expect, test } from 'vitest'
import { compilePage } from './compile-page.js'

const START = '# Terms\n\n- description: What you can expect.\n\n'

test('a page has an intro, sections with anchors, and an end', () => {
  expect(
    compilePage(`${START}Read *this*.

## Is it free? {#free}

- \`a@b.test\`
- [Refunds](/terms#refunds)

## More

Text. {.summary}

---

The end.
`),
  ).toEqual({
    title: 'Terms',
    description: 'What you can expect.',
    intro: ['<p>Read <em>this</em>.</p>\n'],
    sections: [
      {
        anchor: 'free',
        given: null,
        title: ['Is it free?'],
        body: [
          '<ul>\n<li><code>a@b.test</code></li>\n<li><a href="',
          { name: 'base' },
          '/terms#refunds">Refunds</a></li>\n</ul>\n',
        ],
      },
      { anchor: null, given: null, title: ['More'], body: ['<p class="summary">Text.</p>\n'] },
    ],
    end: ['<p>The end.</p>\n'],
  })
})

test('words that depend on a value take their element with them', () => {
  const { intro, sections } = compilePage(`${START}{contact:Write to [{contact}](mailto:{contact}).}

- {paid:One}

You pay. {sandbox:A demo.|In {money}.}

{paid:{prices}}

## {paid:Refunds} {#refunds}
`)
  const contact = { name: 'contact' }
  expect(intro).toEqual([
    {
      given: 'contact',
      words: ['<p>Write to <a href="mailto:', contact, '">', contact, '</a>.</p>\n'],
      otherwise: [],
    },
    '<ul>\n',
    { given: 'paid', words: ['<li>One</li>\n'], otherwise: [] },
    '</ul>\n<p>You pay. ',
    { given: 'sandbox', words: ['A demo.'], otherwise: ['In ', { name: 'money' }, '.'] },
    '</p>\n',
    { given: 'paid', words: [{ name: 'prices' }], otherwise: [] },
  ])
  expect(sections).toEqual([{ anchor: 'refunds', given: 'paid', title: ['Refunds'], body: [] }])
})

test.each([
  ['an unknown place', `${START}It costs {price}.`, /^\{price\} has no value$/],
  ['an unknown condition', `${START}{free:It is free.}`, /^\{free\} has no value$/],
  [
    'an anchor twice',
    `${START}## One {#free}\n\n## Two {#free}\n`,
    /^two sections have the anchor free$/,
  ],
  ['a brace that is not closed', `${START}{paid:It costs {money}.`, /closing brace/],
  ['a brace too many', `${START}It costs {money}}.`, /unmatched/],
  ['an anchor that is none', `${START}## One {#Free One}\n`, /unmatched|no value/],
  ['no description', '# Terms\n\nText.\n', /starts with its title and description/],
])('a page with %s is rejected', (_, text, fault) => {
  expect(() => compilePage(text)).toThrow(fault)
})
