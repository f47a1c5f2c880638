import { expect, test } from 'vitest'
import { OPERATIONS } from '../operations/table.js'
import { openApiDocument } from './openapi.js'

interface Document {
  openapi: string
  info: { title: string; version: string }
  servers: { url: string }[]
  paths: Record<string, { get: { operationId: string; parameters: unknown[]; responses: object } }>
}

const document = openApiDocument(OPERATIONS, {
  baseUrl: 'https://mailgrade.example',
  name: 'Mailgrade',
}) as Document

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
  expect(Object.keys(responses ?? {})).toEqual(['200', '400', '404', '500', '502', '504'])
})
