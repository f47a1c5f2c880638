/** The members of a schema in a few words each; the OpenAPI document has them in full. */
import { z } from 'zod'

export interface SchemaField {
  readonly name: string
  readonly type: string
  readonly isRequired: boolean
  readonly description: string
}

interface JsonSchema {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly description?: string
  readonly anyOf?: readonly JsonSchema[]
  readonly $ref?: string
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
}

export function listSchemaFields(schema: z.ZodObject): SchemaField[] {
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: 'input' }) as JsonSchema
  return Object.entries(properties).map(([name, member]) => ({
    name,
    type: kindOf(member),
    isRequired: required.includes(name),
    description: member.description ?? '',
  }))
}

function kindOf({ type, enum: values, const: value, anyOf }: JsonSchema): string {
  if (values) return values.map((it) => `${it}`).join(' | ')
  if (value !== undefined) return `${value}`
  if (anyOf) return anyOf.map(kindOf).join(' | ')
  return type ?? 'object'
}
