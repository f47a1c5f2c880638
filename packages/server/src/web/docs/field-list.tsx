/** The fields of a schema: a list, with the fields of nested objects to open below each. */
import type { SchemaField } from '@mailgrade/operations/schema-fields'
import { TextWithCode } from '../parts/inline-text.js'

export function FieldList({ fields, areParameters = false }: FieldListProps) {
  return (
    <dl class="fields">
      {fields.map((field) => (
        <div>
          <dt>
            <code>{field.name}</code> <small>{describeField(field, areParameters)}</small>
          </dt>
          <dd>
            <TextWithCode text={field.description} />
            <AllowedValues values={field.values} />
            {field.example !== null && (
              <small>
                Example: <code>{field.example}</code>
              </small>
            )}
            {field.fields.length > 0 && <NestedFields field={field} />}
          </dd>
        </div>
      ))}
    </dl>
  )
}

interface FieldListProps {
  readonly fields: readonly SchemaField[]
  /** Says which are required; of results, most are. */
  readonly areParameters?: boolean
}

function describeField(field: SchemaField, isParameter: boolean): string {
  const { type, isRequired, isNullable, constraints } = field
  const required = isParameter ? ['required'] : []
  return [
    `${type}${isNullable ? ' or null' : ''}`,
    ...(isRequired ? required : ['optional']),
    ...constraints,
  ].join(', ')
}

function AllowedValues({ values }: { values: readonly string[] }) {
  if (values.length === 0) return null
  return (
    <small>
      {values.length === 1 ? 'Always' : 'One of'}{' '}
      {values.map((value, index) => (
        <>
          {index > 0 && ', '}
          <code>{value}</code>
        </>
      ))}
    </small>
  )
}

function NestedFields({ field: { name, fields } }: { field: SchemaField }) {
  return (
    <details>
      <summary>
        {fields.length} {fields.length === 1 ? 'field' : 'fields'} of <code>{name}</code>
      </summary>
      <FieldList fields={fields} />
    </details>
  )
}
