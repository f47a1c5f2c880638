/** The top-level fields of a schema; the OpenAPI document describes them in full. */
import { z } from 'zod'

export interface SchemaField {
  readonly name: string
  readonly type: string
  readonly isRequired: boolean
  readonly description: string
}

type JsonSchema = z.core.JSONSchema.JSONSchema

/** For tables. */
export function listSchemaFields(schema: z.ZodObject): SchemaField[] {
  const { fields, required } = topLevelFields(schema)
  return fields.map(([name, field]) => ({
    name,
    type: describeType(field),
    isRequired: required.includes(name),
    description: field.description ?? '',
  }))
}

/** `GET /v1/dkim?domain=[&selector=&exact=]`: the optional parameters are in brackets. */
export function requestLine({
  path,
  input,
}: {
  readonly path: string
  readonly input: z.ZodObject
}) {
  const fields = listSchemaFields(input)
  const query = (isRequired: boolean) =>
    fields.filter((field) => field.isRequired === isRequired).map(({ name }) => `${name}=`)
  const optional = query(false).map((parameter) => `&${parameter}`)
  const brackets = optional.length > 0 ? `[${optional.join('')}]` : ''
  return `GET ${path}?${query(true).join('&')}${brackets}`
}

export interface SchemaOutline {
  readonly type: 'object'
  readonly properties: Readonly<Record<string, JsonSchema>>
  readonly required: readonly string[]
}

/** The types and allowed values of the fields, without what is nested in them. */
export function outlineSchema(schema: z.ZodObject): SchemaOutline {
  const { fields, required } = topLevelFields(schema)
  const properties = fields.map(([name, field]) => [name, outlineField(field)])
  return { type: 'object', properties: Object.fromEntries(properties), required }
}

function outlineField({ type, enum: values, const: value, anyOf = [] }: JsonSchema): JsonSchema {
  const types = anyOf.flatMap((kind) => (typeof kind === 'object' && kind.type) || [])
  return {
    ...((type ?? types.length > 0) && { type: type ?? types }),
    ...(values && { enum: values }),
    ...(value !== undefined && { const: value }),
  }
}

function topLevelFields(schema: z.ZodObject) {
  // A copy, because a schema with a name of its own becomes a reference to it.
  const copy = z.toJSONSchema(z.object(schema.shape), { io: 'input' })
  const { properties = {}, required = [], $defs = {} } = copy
  const resolve = (field: JsonSchema): JsonSchema => {
    const named = $defs[field.$ref?.replace('#/$defs/', '') ?? '']
    return { ...(typeof named === 'object' && named), ...field }
  }
  const fields = Object.entries(properties).map(
    ([name, field]) => [name, resolve(typeof field === 'object' ? field : {})] as const,
  )
  return { fields, required }
}

function describeType(schema: JsonSchema | boolean): string {
  if (typeof schema === 'boolean') return 'any'
  const { type, enum: values, const: value, anyOf } = schema
  if (values) return values.map((it) => `${it}`).join(' | ')
  if (value !== undefined) return `${value}`
  if (anyOf) return anyOf.map(describeType).join(' | ')
  return type?.toString() ?? 'object'
}
