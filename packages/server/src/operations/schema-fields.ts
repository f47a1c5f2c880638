/** The top-level fields of a schema, for tables; the OpenAPI document describes them in full. */
import { z } from 'zod'

export interface SchemaField {
  readonly name: string
  readonly type: string
  readonly isRequired: boolean
  readonly description: string
}

type JsonSchema = z.core.JSONSchema._JSONSchema

export function listSchemaFields(schema: z.ZodObject): SchemaField[] {
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: 'input' })
  return Object.entries(properties).map(([name, field]) => ({
    name,
    type: describeType(field),
    isRequired: required.includes(name),
    description: (typeof field === 'object' && field.description) || '',
  }))
}

function describeType(schema: JsonSchema): string {
  if (typeof schema === 'boolean') return 'any'
  const { type, enum: values, const: value, anyOf } = schema
  if (values) return values.map((it) => `${it}`).join(' | ')
  if (value !== undefined) return `${value}`
  if (anyOf) return anyOf.map(describeType).join(' | ')
  return type?.toString() ?? 'object'
}
