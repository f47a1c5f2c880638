/** The documentation of one endpoint: an example, a form to try it, parameters and results. */
import {
  describeOffer,
  exampleInput,
  isPaid,
  metaSchema,
  type Operation,
} from '@mailgrade/operations/operation'
import { problemPagePath } from '@mailgrade/operations/problem-details'
import { PROBLEM_TYPES, type ProblemCode } from '@mailgrade/operations/problem-types'
import { listSchemaFields, type SchemaField } from '@mailgrade/operations/schema-fields'
import { reportPagePath } from '@mailgrade/operations/service-paths'
import type { DocumentedResponses } from '../../discovery/documented-responses.js'
import { VERBATIM_INPUT } from '../input-fields.js'
import type { Page } from '../layout.js'
import { guidePath } from '../page-paths.js'
import { CopyableBlock } from '../parts/copyable.js'
import { formatAmount } from '../parts/format-amount.js'
import { TextWithCode } from '../parts/inline-text.js'
import { useLink, useSite } from '../site-context.js'
import { ExampleTabs } from './request-examples.js'

const NO_RESPONSES: DocumentedResponses = { result: undefined, problems: [] }

export function endpointDocsPage(operation: Operation, responses = NO_RESPONSES): Page {
  return {
    title: operation.path,
    description: `${operation.summary}. ${describeOffer(operation)}`,
    scripts: [TRY_IT_SCRIPT],
    body: <Endpoint operation={operation} responses={responses} />,
  }
}

interface EndpointProps {
  readonly operation: Operation
  readonly responses: DocumentedResponses
}

function Endpoint({ operation, responses }: EndpointProps) {
  return (
    <>
      <h1>
        <code>GET {operation.path}</code>
      </h1>
      <p class="summary">{operation.summary}.</p>
      <p>
        <TextWithCode text={describeOffer(operation)} />
      </p>
      <Price operation={operation} />
      <h2>Example</h2>
      <ExampleTabs operation={operation} />
      {responses.result && <ExampleResult operation={operation} result={responses.result} />}
      <h2>Try it</h2>
      <TryItForm operation={operation} />
      <h2>Parameters</h2>
      <FieldList fields={listParameters(operation)} areParameters />
      <h2>Result fields</h2>
      <FieldList fields={listSchemaFields(operation.output.extend({ meta: metaSchema }))} />
      <h2>Responses</h2>
      <ResponseList codes={responses.problems.map(({ problem }) => problem.code)} />
    </>
  )
}

/** The example of the operation is also that of its parameters. */
function listParameters({ input, example }: Operation) {
  return listSchemaFields(input).map((field) => ({
    ...field,
    example: example[field.name] ?? field.example,
  }))
}

function ExampleResult({ operation, result }: { operation: Operation; result: object }) {
  const { isSandbox } = useSite()
  return (
    <>
      <p>
        {isPaid(operation)
          ? 'Without a payment, you get a 402 response with the price. With a payment, you get this report'
          : 'You get this response'}
        {!isSandbox && ' (here for a demo domain)'}
        {', formatted:'}
      </p>
      <CopyableBlock text={JSON.stringify(result, null, 2)} what="the response" />
    </>
  )
}

function Price({ operation }: { operation: Operation }) {
  const { limit, windowSeconds } = useSite()
  const link = useLink()
  if (!isPaid(operation)) {
    return (
      <p>
        Free. Each caller gets {limit} requests every {windowSeconds} seconds across all free
        endpoints.
      </p>
    )
  }
  return (
    <p>
      <strong>{formatAmount(operation.price)} USD</strong>, paid with{' '}
      <a href={link(guidePath('payments'))}>x402</a>. You’re charged only if you get a report.{' '}
      <a href={link(reportPagePath(operation))}>Buy one in the browser.</a>
      {operation.tool && (
        <>
          {' '}
          Over <a href={link(guidePath('mcp'))}>MCP</a>: <code>{operation.tool.name}</code>
        </>
      )}
    </p>
  )
}

/** Lists each code once, even if it has several cases. */
function ResponseList({ codes }: { codes: readonly ProblemCode[] }) {
  const link = useLink()
  return (
    <ul>
      <li>
        <strong>200</strong>: the result
      </li>
      {[...new Set(codes)].map((code) => (
        <li>
          <strong>{PROBLEM_TYPES[code].status}</strong>{' '}
          <a href={link(problemPagePath(code))}>{code}</a>: {PROBLEM_TYPES[code].title}
        </li>
      ))}
    </ul>
  )
}

/** A list, with the fields of nested objects to open below each. */
function FieldList({ fields, areParameters = false }: FieldListProps) {
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

/** The module that sends the request, and remembers the language of the examples. */
const TRY_IT_SCRIPT = 'try-it.js'

/** Sends a request from the page. Without scripts it is a form that opens the response. */
function TryItForm({ operation }: { operation: Operation }) {
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
