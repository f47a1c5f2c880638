import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { metaSchema } from './operation.js'
import { OPERATIONS } from './operations.js'
import { listSchemaFields, type SchemaField } from './schema-fields.js'

function fieldOf(schema: z.ZodType): SchemaField {
  const [field] = listSchemaFields(z.object({ field: schema }))
  if (!field) throw new Error('there is no field')
  return field
}

function namesOf(fields: readonly SchemaField[]): string[] {
  return fields.map(({ name }) => name)
}

const point = z.object({ x: z.int().describe('Across'), y: z.int().optional().describe('Down') })

test.each([
  ['a text', z.string(), 'string', false],
  ['a text or null', z.string().nullable(), 'string', true],
  ['a choice or null', z.enum(['a', 'b']).nullable(), 'string', true],
  ['a list of texts', z.array(z.string()), 'array of strings', false],
  ['a list of objects', z.array(point), 'array of objects', false],
  ['a map', z.record(z.string(), z.string()), 'map of strings', false],
  ['a date', z.iso.date(), 'date', false],
  ['a constant', z.literal(10), 'number', false],
])('the type of %s', (_, schema, type, isNullable) => {
  expect(fieldOf(schema)).toMatchObject({ type, isNullable })
})

test('has the allowed values, also of a choice that may be null', () => {
  expect(fieldOf(z.enum(['a', 'b'])).values).toEqual(['a', 'b'])
  expect(fieldOf(z.enum(['a', 'b']).nullable()).values).toEqual(['a', 'b'])
  expect(fieldOf(z.literal(10)).values).toEqual(['10'])
  expect(fieldOf(z.string()).values).toEqual([])
})

test('says constraints in words, and leaves out the limits of JavaScript numbers', () => {
  expect(fieldOf(z.string().max(320)).constraints).toEqual(['at most 320 characters'])
  expect(fieldOf(z.array(z.string()).max(5)).constraints).toEqual(['at most 5'])
  expect(fieldOf(z.int().min(0).max(100)).constraints).toEqual(['0 to 100'])
  expect(fieldOf(z.int()).constraints).toEqual([])
})

test('has the first example, also of a transformed text', () => {
  const length = z.string().transform((text) => text.length)
  expect(fieldOf(length.optional().meta({ examples: ['google'] })).example).toBe('google')
  expect(fieldOf(z.string().meta({ examples: ['google', 's1'] })).example).toBe('google')
  expect(fieldOf(z.string()).example).toBeNull()
})

test.each([
  ['an object', point],
  ['an object or null', point.nullable()],
  ['a list', z.array(point)],
  ['a map', z.record(z.string(), point)],
])('lists the fields inside %s', (_, schema) => {
  expect(fieldOf(schema).fields).toMatchObject([
    { name: 'x', type: 'integer', isRequired: true, description: 'Across' },
    { name: 'y', type: 'integer', isRequired: false, description: 'Down' },
  ])
})

test('ends where a schema contains itself', () => {
  const tree = z
    .object({
      name: z.string(),
      get children() {
        return z.array(tree).describe('Its branches')
      },
    })
    .meta({ id: 'TestTree' })
  const { fields } = fieldOf(tree)
  expect(namesOf(fields)).toEqual(['name', 'children'])
  expect(fields[1]).toMatchObject({
    type: 'array of objects',
    description: 'Its branches, with the same fields again',
    fields: [],
  })
})

describe('the operations', () => {
  /** With its path: `spf.terms.kind`. */
  function flatten(fields: readonly SchemaField[], path = ''): [string, SchemaField][] {
    return fields.flatMap((field) => [
      [`${path}${field.name}`, field] as [string, SchemaField],
      ...flatten(field.fields, `${path}${field.name}.`),
    ])
  }

  test.each(OPERATIONS)('$path: every field at every depth has a description', (operation) => {
    const output = operation.output.extend({ meta: metaSchema })
    const all = [
      ...flatten(listSchemaFields(operation.input)),
      ...flatten(listSchemaFields(output)),
    ]
    expect(all.filter(([, { description }]) => description === '').map(([path]) => path)).toEqual(
      [],
    )
  })

  test.each(OPERATIONS)('$path: every parameter has an example', ({ input, example }) => {
    const missing = listSchemaFields(input).filter(
      (field) => field.example === null && !(field.name in example),
    )
    expect(namesOf(missing)).toEqual([])
  })

  test.each(OPERATIONS)(
    '$path accepts the examples of all its parameters together',
    (operation) => {
      const given = listSchemaFields(operation.input).flatMap(({ name, example }) =>
        example === null ? [] : [[name, example]],
      )
      const parameters = { ...Object.fromEntries(given), ...operation.example }
      expect(operation.prepare(parameters)).toMatchObject({ kind: 'prepared' })
    },
  )

  test('nested fields are found, down to the evidence of a finding inside a report', () => {
    const check = OPERATIONS.find(({ id }) => id === 'check')
    const fields = new Map(flatten(listSchemaFields(check?.output ?? z.object({}))))
    expect(fields.get('spf.issues.evidence.value')).toMatchObject({
      type: 'string',
      description: 'Its value, cut if it is very long',
    })
    expect(fields.get('spf.issues.severity')?.values).toEqual([
      'critical',
      'high',
      'medium',
      'low',
      'info',
    ])
  })
})
