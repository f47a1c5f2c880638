/** A DNS record to publish: each field by itself, as DNS hosts ask for them. */
import { Copied } from './copied.js'

export interface Fields {
  readonly type: string
  readonly name: string
  readonly value: string
  /** What goes into the name field at the DNS host, where that is known. */
  readonly host?: string
  readonly ttl?: number
}

export function RecordFields({ type, name, value, host, ttl }: Fields) {
  return (
    <dl class="record">
      <dt>Type</dt>
      <dd>
        <code>{type}</code>
      </dd>
      <dt>Name</dt>
      <dd>
        <Copied text={host ?? name} what="the name" />
        {host !== undefined && host !== name && <small>in full: {name}</small>}
      </dd>
      <dt>Value</dt>
      <dd>
        <Copied text={value} what="the value" />
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
