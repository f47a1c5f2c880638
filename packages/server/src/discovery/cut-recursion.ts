/**
 * Schemas that contain themselves, cut short. The reader of the x402 registries resolves references
 * for ever, so that one tree in a schema hides the whole endpoint from them.
 */
type Schemas = Readonly<Record<string, object>>

const ANYTHING = {
  type: 'object',
  additionalProperties: true,
  description: 'With the same members as the one above it, and so on',
}

/** What is within itself is described once more, and then no longer. */
export function cutRecursion(schemas: Schemas): Schemas {
  return Object.fromEntries(Object.entries(schemas).flatMap(unrolled))
}

function unrolled([name, schema]: [string, object]): [string, object][] {
  const text = JSON.stringify(schema)
  const itself = referenceTo(name)
  if (!text.includes(itself)) return [[name, schema]]
  const inner = `${name}Branch`
  return [
    [name, JSON.parse(text.replaceAll(itself, referenceTo(inner)))],
    [inner, JSON.parse(text.replaceAll(itself, JSON.stringify(ANYTHING)))],
  ]
}

function referenceTo(name: string): string {
  return JSON.stringify({ $ref: `#/components/schemas/${name}` })
}
