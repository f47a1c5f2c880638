/** Sends a request from the page. Without scripts it is a form that opens the response. */
import { exampleInput, isPaid, type Operation } from '@mailgrade/operations/operation'
import { listSchemaFields, type SchemaField } from '@mailgrade/operations/schema-fields'
import { reportPagePath } from '@mailgrade/operations/service-paths'
import { VERBATIM_INPUT } from '../parts/verbatim-input.js'
import { useLink, useSite } from '../site-context.js'

/** The module that sends the request, and remembers the language of the examples. */
export const TRY_IT_SCRIPT = 'try-it.js'

export function TryItForm({ operation }: { operation: Operation }) {
  const { isSandbox } = useSite()
  const link = useLink()
  const fields = listSchemaFields(operation.input)
  const optional = fields.filter(({ isRequired }) => !isRequired)
  const example = exampleInput(operation, isSandbox)
  return (
    <form class="try-it" action={link(operation.path)} method="get" data-try-it>
      {fields
        .filter(({ isRequired }) => isRequired)
        .map((field) => (
          <Parameter field={field} value={example[field.name] ?? ''} />
        ))}
      {optional.length > 0 && <OptionalParameters fields={optional} />}
      <button type="submit">Send request</button>
      <div class="outcome">
        <p role="status" data-outcome></p>
        <p data-rate-limit hidden></p>
        {isPaid(operation) && (
          <p data-offer hidden>
            <a href={link(reportPagePath(operation))}>Buy this report in the browser</a>
          </p>
        )}
        {/* It scrolls, so it must be reachable with the keyboard. */}
        <pre tabindex={0} data-body hidden></pre>
      </div>
    </form>
  )
}

/** Disabled without the script: the form would send empty parameters, which the API rejects. */
function OptionalParameters({ fields }: { fields: readonly SchemaField[] }) {
  return (
    <details data-screen data-optional hidden>
      <summary>Optional parameters</summary>
      <fieldset disabled>
        <legend class="unseen">Optional parameters</legend>
        {fields.map((field) => (
          <Parameter field={field} value="" />
        ))}
      </fieldset>
    </details>
  )
}

function Parameter({ field, value }: { field: SchemaField; value: string }) {
  const { name, type, isRequired, example } = field
  if (type === 'boolean') {
    return (
      <label>
        <input type="checkbox" name={name} value="true" /> <code>{name}</code>
      </label>
    )
  }
  return (
    <label>
      <code>{name}</code>
      <input
        name={name}
        value={value}
        required={isRequired}
        placeholder={example ?? ''}
        {...VERBATIM_INPUT}
      />
    </label>
  )
}
