/** Endpoints, prices, tools, error codes and settings in the documentation are those of the code. */
import { readFileSync } from 'node:fs'
import { hasTool, isPaid } from '@mailgrade/operations/operation'
import { OPERATIONS } from '@mailgrade/operations/operations'
import { PROBLEM_TYPES } from '@mailgrade/operations/problem-types'
import { expect, test } from 'vitest'
import { CONTENT } from '../../src/content/generated/content.js'

function read(file: string): string {
  return readFileSync(file, 'utf8')
}

function priceOf({ price }: { price?: string }): string {
  return price === undefined ? 'free' : `${price} USD`
}

test('the README lists every endpoint with its price', () => {
  const rows = [...read('README.md').matchAll(/^\| `GET (\S+)\?\S+` +\| (.*?) +\|/gm)]
  const shown = rows.map(([, path, price]) => [path, price])
  expect(shown).toEqual(OPERATIONS.map((operation) => [operation.path, priceOf(operation)]))
})

test('docs/mcp.md lists every tool with its parameters, price and endpoint', () => {
  const rows = [
    ...read('docs/mcp.md').matchAll(
      /^\| `(\w+)` +\| `(\w+)` +\| (.*?) +\| (.*?) +\| `GET (.*?)`/gm,
    ),
  ]
  const expected = OPERATIONS.filter(hasTool).map((operation) => {
    const [required, ...optional] = Object.keys(operation.input.shape)
    return [
      operation.tool.name,
      required,
      optional.map((name) => `\`${name}\``).join(', ') || '–',
      priceOf(operation),
      operation.path,
    ]
  })
  expect(rows.map(([, ...cells]) => cells)).toEqual(expected)
})

test('docs/payments.md lists problems with the status that they have', () => {
  const types: Record<string, { status: number }> = PROBLEM_TYPES
  const rows = [...read('docs/payments.md').matchAll(/^\| (\d{3}) +\| (.*?) +\|/gm)]
  const shown = rows.flatMap(([, status, codes = '']) =>
    [...codes.matchAll(/`([a-z_]+)`/g)].map(([, code = '']) => [code, Number(status)]),
  )
  const problems = shown.filter(([code = '']) => code in types)
  expect(problems).toHaveLength(15)
  expect(problems).toEqual(problems.map(([code = '']) => [code, types[code]?.status]))
})

test('docs/payments.md lists every reason why a payment is rejected', () => {
  const reasons = Object.keys(CONTENT.texts['payment-errors'])
  const [, sentence = ''] =
    /^`error` in a 402 is one of (.*)$/m.exec(read('docs/payments.md')) ?? []
  const listed = [...(sentence.split('. ')[0] ?? '').matchAll(/`([a-z_]+)`/g)]
  expect(reasons.length).toBeGreaterThan(10)
  expect(listed.map(([, code]) => code)).toEqual(reasons)
})

test('docs/configuration.md lists every environment variable', () => {
  const source = read('packages/server/src/config.ts')
  const variables = [...source.matchAll(/^ {2}([A-Z][A-Z0-9_]+): /gm)].map(([, name]) => name)
  const rows = read('docs/configuration.md').match(/^\| `[A-Z].*$/gm) ?? []
  const listed = rows.flatMap((row) =>
    [...(row.split('|')[1] ?? '').matchAll(/`([A-Z0-9_]+)`/g)].map(([, name]) => name),
  )
  expect(variables.length).toBeGreaterThan(20)
  expect(listed.sort()).toEqual(variables.sort())
})

test('the prices are those of the paid operations', () => {
  const prices = OPERATIONS.filter(isPaid).map(({ price }) => Number(price))
  const range = `${Math.min(...prices)} to ${Math.max(...prices)} USD`
  expect(read('README.md')).toContain(range)
})
