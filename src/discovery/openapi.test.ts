import { expect, test } from 'vitest'
import { serviceInfo } from '../../test/support/service-info.js'
import { OPERATIONS } from '../operations/table.js'
import { openApiDocument } from './openapi.js'

type Responses = Record<string, { headers: object }>

interface Document {
  openapi: string
  info: { title: string; version: string }
  servers: { url: string }[]
  paths: Record<
    string,
    { get: { operationId: string; parameters: unknown[]; responses: Responses } }
  >
  components: { headers: object }
}

const document = openApiDocument(OPERATIONS, serviceInfo(), new Map()) as Document

test('it is OpenAPI 3.1 about this very service', () => {
  expect(document.openapi).toBe('3.1.0')
  expect(document.info).toEqual({ title: 'Mailgrade', version: '1.0.0' })
  expect(document.servers).toEqual([{ url: 'https://mailgrade.example' }])
})

test('it lists every operation and nothing else', () => {
  expect(Object.keys(document.paths)).toEqual(OPERATIONS.map((operation) => operation.path))
})

test('an operation has its parameters and every status it can give', () => {
  const { operationId, parameters, responses } = document.paths['/v1/mx']?.get ?? {}
  expect(operationId).toBe('mx')
  expect(parameters).toMatchObject([
    { name: 'domain', in: 'query', required: true, schema: { type: 'string', maxLength: 320 } },
  ])
  expect(Object.keys(responses ?? {})).toEqual(['200', '400', '404', '429', '500', '502', '504'])
})

test('every response tells of the rate limit, and 429 when to come back', () => {
  const limit = ['RateLimit-Policy', 'RateLimit']
  const responses = document.paths['/v1/mx']?.get.responses ?? {}
  const headers = Object.entries(responses).map(([status, response]) => [
    status,
    Object.keys(response.headers),
  ])
  expect(headers).toEqual([
    ['200', limit],
    ['400', limit],
    ['404', limit],
    ['429', [...limit, 'Retry-After']],
    ['500', limit],
    ['502', limit],
    ['504', limit],
  ])
})

test('a paid operation has the payment, the challenge and the receipt instead', () => {
  const { parameters, responses } = document.paths['/v1/score']?.get ?? {}
  expect(parameters).toMatchObject([
    { name: 'domain', in: 'query', required: true },
    { name: 'PAYMENT-SIGNATURE', in: 'header', schema: { type: 'string' } },
  ])
  const headers = Object.entries(responses ?? {}).map(([status, response]) => [
    status,
    Object.keys(response.headers),
  ])
  expect(headers).toEqual([
    ['200', ['PAYMENT-RESPONSE']],
    ['400', []],
    ['402', ['PAYMENT-REQUIRED', 'PAYMENT-RESPONSE']],
    ['404', []],
    ['409', ['Retry-After']],
    ['500', []],
    ['502', ['Retry-After']],
    ['503', ['Retry-After']],
    ['504', []],
  ])
})

test('every header that a response refers to is described', () => {
  const references = new Set(JSON.stringify(document.paths).match(/#\/components\/headers\/[^"]+/g))
  const described = Object.keys(document.components.headers)
  expect([...references].sort()).toEqual(
    described.map((name) => `#/components/headers/${name}`).sort(),
  )
})
