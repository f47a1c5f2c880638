/** Validates a body against its schema in the document, with Ajv. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'

/** Returns the errors of a body; empty if it matches the schema at the pointer. */
export type ValidateBody = (pointer: string, body: unknown) => string[]

export function createSchemaValidator(document: object): ValidateBody {
  const ajv = new Ajv2020({
    allErrors: true,
    // The document around the schemas is not a schema.
    strict: false,
    formats: { uri: (text) => URL.canParse(text), 'date-time': isDateTime },
  })
  ajv.addSchema(document, 'openapi')
  const compiled = new Map<string, ValidateFunction>()
  return (pointer, body) => {
    const validate = compiled.get(pointer) ?? ajv.compile({ $ref: `openapi#${encodeURI(pointer)}` })
    compiled.set(pointer, validate)
    if (validate(body)) return []
    return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
  }
}

function isDateTime(text: string): boolean {
  return /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text) && !Number.isNaN(Date.parse(text))
}
