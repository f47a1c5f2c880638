/** A DNS record to publish, field by field as DNS hosts ask for it. */
import { CopyableText } from './copyable.js'

/** A value that only the owner knows. SPF macros have a percent sign before the brace. */
const PLACEHOLDER = /(?<!%)\{[a-z][a-z0-9-]*\}/

export interface RecordFieldsProps {
  readonly type: string
  readonly name: string
  readonly value: string
  /** What to enter in the name field at the DNS host, if known. */
  readonly host?: string
  /** What to enter in the value field there, with quotes where it needs them. */
  readonly valueToEnter?: string
  readonly ttl?: number
}

export function RecordFields({
  type,
  name,
  value,
  valueToEnter = value,
  host,
  ttl,
}: RecordFieldsProps) {
  return (
    <dl class="record">
      <dt>Type</dt>
      <dd>
        <code>{type}</code>
      </dd>
      <dt>{host === undefined ? 'Full name' : 'Name'}</dt>
      <dd>
        {host === '' ? <span>leave empty</span> : <Field text={host ?? name} what="the name" />}
        {host !== undefined && host !== name && <small>full name: {name}</small>}
      </dd>
      <dt>Value</dt>
      <dd>
        <Field text={valueToEnter} what="the value" />
      </dd>
      {ttl !== undefined && (
        <>
          <dt>TTL</dt>
          <dd>{ttl} seconds</dd>
        </>
      )}
    </dl>
  )
}

/** Text with a placeholder has no copy button: it would be published unchanged. */
function Field({ text, what }: { text: string; what: string }) {
  if (!PLACEHOLDER.test(text)) return <CopyableText text={text} what={what} />
  return (
    <span class="copied">
      <code>{text}</code>
      <small>Replace the text in {'{braces}'}</small>
    </span>
  )
}
