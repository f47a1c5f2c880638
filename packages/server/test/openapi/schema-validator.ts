/** A body against the schema that the document has for it, by a validator that is not ours. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'

/** What is wrong with a body; nothing, if it is as the schema at the pointer says. */
export type ValidateBody = (pointer: string, body: unknown) => string[]

export function createSchemaValidator(document: object): ValidateBody {
  const ajv = new Ajv2020({
    allErrors: true,
    // The document around the schemas is no schema.
    strict: false,
    formats: { uri: (text) => URL.canParse(text), 'date-time': isTime },
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

function isTime(text: string): boolean {
  return /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text) && !Number.isNaN(Date.parse(text))
}
