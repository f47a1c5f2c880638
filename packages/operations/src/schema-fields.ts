/** The fields of a schema at every depth, for the documentation; outlines of it for MCP and x402. */
import { z } from 'zod'

export interface SchemaField {
  readonly name: string
  /** In words: `string`, `array of objects`. */
  readonly type: string
  readonly isRequired: boolean
  readonly isNullable: boolean
  readonly description: string
  /** The only values there are; empty if there are others. */
  readonly values: readonly string[]
  /** What a valid value must be, in words: `at most 320 characters`. */
  readonly constraints: readonly string[]
  /** Only for parameters. */
  readonly example: string | null
  /** The fields of the object, or of each object in the array. */
  readonly fields: readonly SchemaField[]
}

type JsonSchema = z.core.JSONSchema.JSONSchema

export function listSchemaFields(schema: z.ZodObject): SchemaField[] {
  const { root, named } = toJsonSchema(schema)
  return listFields(root, named, []).map((field) => ({
    ...field,
    example: exampleOf(schema.shape[field.name]),
  }))
}

/** From zod, because its JSON Schema has no examples where a text is transformed. */
function exampleOf(schema: z.core.$ZodType | undefined): string | null {
  const examples = schema && z.globalRegistry.get(schema)?.examples
  const [first] = Array.isArray(examples) ? examples : []
  return first === undefined ? null : String(first)
}

type NamedSchemas = ReadonlyMap<string, JsonSchema>

/** `ancestors` has the names of the schemas around this one: a schema may contain itself. */
function listFields(
  { properties = {}, required = [] }: JsonSchema,
  named: NamedSchemas,
  ancestors: readonly string[],
): SchemaField[] {
  return Object.entries(properties).map(([name, property]) => {
    const field = resolve(property, named)
    const value = withoutNull(field, named)
    const { element, path } = findElement(value, named, [...ancestors, ...refName(property)])
    const isRecursive = new Set(path).size < path.length
    return {
      name,
      type: describeType(value, named),
      isRequired: required.includes(name),
      isNullable: isNullable(field),
      description: describe(field, isRecursive),
      values: listValues(value),
      constraints: listConstraints(value),
      example: null,
      fields: isRecursive ? [] : listFields(element, named, path),
    }
  })
}

/** The object whose fields count: of an array its items, of a map its values. */
function findElement(
  schema: JsonSchema,
  named: NamedSchemas,
  path: readonly string[],
): { readonly element: JsonSchema; readonly path: readonly string[] } {
  const inner = innerSchema(schema)
  if (inner === null) return { element: schema, path }
  return findElement(resolve(inner, named), named, [...path, ...refName(inner)])
}

function innerSchema({ items, additionalProperties }: JsonSchema): JsonSchema | null {
  if (typeof items === 'object' && !Array.isArray(items)) return items
  return typeof additionalProperties === 'object' ? additionalProperties : null
}

function describe({ description = '' }: JsonSchema, isRecursive: boolean): string {
  return isRecursive ? `${description}, with the same fields again` : description
}

function isNullable({ type, anyOf = [] }: JsonSchema): boolean {
  const types = [type, ...anyOf.map((kind) => toObject(kind).type)].flat()
  return types.includes('null')
}

/** What the value is if it is not null. */
function withoutNull(schema: JsonSchema, named: NamedSchemas): JsonSchema {
  const [kind, ...others] = (schema.anyOf ?? []).filter((it) => toObject(it).type !== 'null')
  return kind !== undefined && others.length === 0 ? resolve(kind, named) : schema
}

const PLURALS: Readonly<Record<string, string>> = {
  string: 'strings',
  integer: 'integers',
  object: 'objects',
}

function describeType(schema: JsonSchema, named: NamedSchemas): string {
  const { type, format, items } = schema
  const inner = innerSchema(schema)
  if (inner !== null) {
    const kind = describeType(resolve(inner, named), named)
    return `${items ? 'array' : 'map'} of ${PLURALS[kind] ?? kind}`
  }
  const types = [format ?? type ?? 'object'].flat()
  return types.filter((kind) => kind !== 'null').join(' or ')
}

function listValues({ enum: values, const: value }: JsonSchema): string[] {
  return [...(values ?? []), ...(value === undefined ? [] : [value])].map(String)
}

function listConstraints(schema: JsonSchema): string[] {
  const { minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER } = schema
  const { maxLength, maxItems } = schema
  return [
    ...(maxLength === undefined ? [] : [`at most ${maxLength} characters`]),
    ...(maxItems === undefined ? [] : [`at most ${maxItems}`]),
    // The limits of JavaScript numbers are not limits of the API.
    ...(minimum > Number.MIN_SAFE_INTEGER && maximum < Number.MAX_SAFE_INTEGER
      ? [`${minimum} to ${maximum}`]
      : []),
  ]
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
  const { root, named } = toJsonSchema(schema)
  const { properties: fields = {}, required = [] } = root
  const properties = Object.entries(fields).map(([name, field]) => [
    name,
    outlineField(resolve(field, named)),
  ])
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

function toJsonSchema(schema: z.ZodObject): {
  readonly root: JsonSchema
  readonly named: NamedSchemas
} {
  // A copy, because a schema with a name of its own becomes a reference to it.
  const root = z.toJSONSchema(z.object(schema.shape), { io: 'input' })
  const named = Object.entries(root.$defs ?? {}).map(
    ([name, definition]) => [name, toObject(definition)] as const,
  )
  return { root, named: new Map(named) }
}

/** What a reference leads to, with the description of the place that refers to it. */
function resolve(schema: JsonSchema | boolean, named: NamedSchemas): JsonSchema {
  const [name = ''] = refName(schema)
  return { ...named.get(name), ...toObject(schema) }
}

function refName(schema: JsonSchema | boolean): string[] {
  const { $ref } = toObject(schema)
  return $ref === undefined ? [] : [$ref.replace('#/$defs/', '')]
}

function toObject(schema: JsonSchema | boolean): JsonSchema {
  return typeof schema === 'object' ? schema : {}
}
