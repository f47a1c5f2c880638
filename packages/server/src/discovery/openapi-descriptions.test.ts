/** Everything in the OpenAPI document that has a name also has a description. */
import { expect, test } from 'vitest'
import { buildOpenApiDocument } from '../../test/support/openapi-fixture.js'
import { testServiceInfo } from '../../test/support/service-info-fixture.js'

interface Schema {
  readonly description?: string
  readonly $ref?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly additionalProperties?: Schema | boolean
  readonly allOf?: readonly Schema[]
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
}

interface Document {
  readonly paths: Readonly<
    Record<
      string,
      {
        readonly get: {
          readonly parameters: readonly (Schema & { readonly name: string })[]
          readonly responses: Readonly<Record<string, Response>>
        }
      }
    >
  >
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>
    readonly headers: Readonly<Record<string, Schema>>
  }
}

interface Response {
  readonly content: Readonly<Record<string, { readonly schema: Schema }>>
}

const document = (await buildOpenApiDocument(testServiceInfo())) as Document
const { schemas, headers } = document.components
const operations = Object.entries(document.paths).map(([path, { get }]) => ({ path, ...get }))

/** Its own description, or that of the schema it refers to. */
function isDescribed(schema: Schema): boolean {
  if (schema.description) return true
  const target = schema.$ref && schemas[schema.$ref.replace('#/components/schemas/', '')]
  return target ? isDescribed(target) : false
}

/** The properties without a description, as paths. */
function undescribed(schema: Schema, path: string): string[] {
  const {
    properties = {},
    items,
    additionalProperties,
    allOf = [],
    anyOf = [],
    oneOf = [],
  } = schema
  const open = typeof additionalProperties === 'object' ? [additionalProperties] : []
  const nested = [...(items ? [items] : []), ...open, ...allOf, ...anyOf, ...oneOf]
  return [
    ...Object.entries(properties).flatMap(([name, property]) => [
      ...(isDescribed(property) ? [] : [`${path}.${name}`]),
      ...undescribed(property, `${path}.${name}`),
    ]),
    ...nested.flatMap((each) => undescribed(each, path)),
  ]
}

test('every schema and every property', () => {
  const all = Object.entries(schemas)
  expect(all.filter(([, schema]) => !schema.description).map(([name]) => name)).toEqual([])
  expect(all.flatMap(([name, schema]) => undescribed(schema, name))).toEqual([])
})

test('every property of a response', () => {
  const found = operations.flatMap(({ path, responses }) =>
    Object.values(responses).flatMap(({ content }) =>
      Object.values(content).flatMap(({ schema }) => undescribed(schema, path)),
    ),
  )
  expect(found).toEqual([])
})

test('every parameter and every header', () => {
  const parameters = operations.flatMap((operation) => operation.parameters)
  expect(parameters.filter((each) => !isDescribed(each)).map(({ name }) => name)).toEqual([])
  expect(Object.values(headers).filter((each) => !isDescribed(each))).toEqual([])
})
