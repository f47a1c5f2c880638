/** A DNS record to publish: each field by itself, as DNS hosts ask for them. */
import { CopyableText } from './copyable.js'

/** A gap that only the owner can fill; macros of SPF have a percent sign before the brace. */
const GAP = /(?<!%)\{[a-z][a-z0-9-]*\}/

export interface RecordFieldsProps {
  readonly type: string
  readonly name: string
  readonly value: string
  /** What goes into the name field at the DNS host, where that is known. */
  readonly host?: string
  readonly ttl?: number
}

export function RecordFields({ type, name, value, host, ttl }: RecordFieldsProps) {
  return (
    <dl class="record">
      <dt>Type</dt>
      <dd>
        <code>{type}</code>
      </dd>
      <dt>{host === undefined ? 'Full name' : 'Name'}</dt>
      <dd>
        {host === '' ? <span>leave empty</span> : <Field text={host ?? name} what="the name" />}
        {host !== undefined && host !== name && <small>in full: {name}</small>}
      </dd>
      <dt>Value</dt>
      <dd>
        <Field text={value} what="the value" />
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

/** What has a gap is not offered to be copied: it would end up in the DNS as it is. */
function Field({ text, what }: { text: string; what: string }) {
  if (!GAP.test(text)) return <CopyableText text={text} what={what} />
  return (
    <span class="copied">
      <code>{text}</code>
      <small>Fill in what stands in braces</small>
    </span>
  )
}
