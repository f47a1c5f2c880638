/** The documentation of one endpoint: parameters, an example, responses and result fields. */
import type { DocumentedResponses } from '../../discovery/documented-responses.js'
import { exampleInput, isPaid, metaSchema, type Operation } from '../../operations/operation.js'
import { problemPagePath } from '../../operations/problem-details.js'
import { PROBLEM_TYPES, type ProblemCode } from '../../operations/problem-types.js'
import { listSchemaFields, type SchemaField } from '../../operations/schema-fields.js'
import { reportPagePath } from '../../operations/service-paths.js'
import type { Page } from '../layout.js'
import { guidePath } from '../page-paths.js'
import { CopyableBlock } from '../parts/copyable.js'
import { TextWithCode } from '../parts/inline-text.js'
import { useLink, useSite } from '../site-context.js'

const NO_RESPONSES: DocumentedResponses = { result: undefined, problems: [] }

export function endpointDocsPage(operation: Operation, responses = NO_RESPONSES): Page {
  return {
    title: operation.path,
    description: `${operation.summary}. ${operation.description}`,
    body: <Endpoint operation={operation} responses={responses} />,
  }
}

interface EndpointProps {
  readonly operation: Operation
  readonly responses: DocumentedResponses
}

function Endpoint({ operation, responses }: EndpointProps) {
  const { baseUrl, isSandbox } = useSite()
  const query = new URLSearchParams(exampleInput(operation, isSandbox))
  return (
    <>
      <h1>
        <code>GET {operation.path}</code>
      </h1>
      <p class="summary">{operation.summary}.</p>
      <p>
        <TextWithCode text={operation.description} />
      </p>
      <Price operation={operation} />
      <h2>Parameters</h2>
      <FieldList fields={listSchemaFields(operation.input)} />
      <h2>Example</h2>
      <CopyableBlock text={`curl -i '${baseUrl}${operation.path}?${query}'`} what="the command" />
      <p>
        {isPaid(operation) && 'The response is 402, with the price. '}
        {isPaid(operation) ? 'With a payment in PAYMENT-SIGNATURE' : 'The response'}
        {!isSandbox && ', here for a demo domain'}:
      </p>
      {responses.result && (
        <CopyableBlock text={JSON.stringify(responses.result, null, 2)} what="the response" />
      )}
      <h2>Responses</h2>
      <ResponseList codes={responses.problems.map(({ problem }) => problem.code)} />
      <h2>Result fields</h2>
      <FieldList fields={listSchemaFields(operation.output.extend({ meta: metaSchema }))} />
    </>
  )
}

function Price({ operation }: { operation: Operation }) {
  const { limit, windowSeconds } = useSite()
  const link = useLink()
  if (!isPaid(operation)) {
    return (
      <p>
        Free: {limit} requests in any {windowSeconds} seconds per caller, over all free endpoints
        together.
      </p>
    )
  }
  return (
    <p>
      <strong>{operation.price} USD</strong>, paid with{' '}
      <a href={link(guidePath('payments'))}>x402</a> and charged only when you get a report.{' '}
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

function FieldList({ fields }: { fields: readonly SchemaField[] }) {
  return (
    <dl class="members">
      {fields.map(({ name, type, isRequired, description }) => (
        <div>
          <dt>
            <code>{name}</code> <small>{type}</small>
            {!isRequired && <small> optional</small>}
          </dt>
          <dd>
            <TextWithCode text={description} />
          </dd>
        </div>
      ))}
    </dl>
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
