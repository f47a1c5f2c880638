/** A DNS record to publish, field by field as DNS hosts ask for it. */
import { registrableDomain } from '@mailgrade/core'
import { CopyableText } from './copyable.js'

/** A value that only the owner knows. SPF macros have a percent sign before the brace. */
const PLACEHOLDER = /(?<!%)\{[a-z][a-z0-9-]*\}/

export interface RecordFieldsProps {
  readonly type: string
  readonly name: string
  readonly value: string
  /** What to enter in the name field at the DNS host. Default: what most hosts ask for. */
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
  host = nameBeforeDomain(name),
  ttl,
}: RecordFieldsProps) {
  return (
    <dl class="record">
      <dt>Type</dt>
      <dd>
        <code>{type}</code>
      </dd>
      <dt>Name</dt>
      <dd>
        {host === '' ? <span>leave empty</span> : <Field text={host} what="the name" />}
        {host !== name && <small>full name: {name}</small>}
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

function nameBeforeDomain(name: string): string {
  const domain = registrableDomain(name)
  if (name === domain) return '@'
  return name.endsWith(`.${domain}`) ? name.slice(0, -domain.length - 1) : name
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
