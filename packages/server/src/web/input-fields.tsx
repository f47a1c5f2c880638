/** The fields that several forms share, and links with their values. */
import type { FormValues } from '../http/query-parameters.js'

/** What the field of a form is filled with. */
export function fieldValue(values: FormValues, name: string): string {
  return (values[name]?.[0] ?? '').slice(0, 320)
}

/** The values as a query string, without empty ones. */
export function toQuery(values: FormValues): string {
  const pairs = Object.entries(values).flatMap(([name, texts]) =>
    texts.filter((text) => text !== '').map((text): [string, string] => [name, text]),
  )
  return new URLSearchParams(pairs).toString()
}

/** Behind a disclosure, because few people know their selector. */
export function SelectorFields({ values }: { values: FormValues }) {
  const { selector = [] } = values
  return (
    <details class="options" open={selector.length > 0} data-screen>
      <summary>DKIM selector (optional)</summary>
      {(selector.length > 0 ? selector : ['']).map((value) => (
        <label>
          Your DKIM selector: the <code>s=</code> value in the DKIM-Signature header of your mail
          <input
            name="selector"
            value={value}
            maxlength={506}
            placeholder="google"
            autocomplete="off"
            autocapitalize="none"
            spellcheck={false}
          />
        </label>
      ))}
    </details>
  )
}

const OWNER_FIELDS = [
  { name: 'rua', label: 'Where reports should go', placeholder: 'dmarc@example.com' },
  { name: 'uses', label: 'Services that send for you', placeholder: 'google,mailchimp' },
  { name: 'unused', label: 'Services that no longer send for you', placeholder: 'sendgrid' },
] as const

/** What only the owner knows. */
export function OwnerFields({ values }: { values: FormValues }) {
  const isGiven = OWNER_FIELDS.some(({ name }) => fieldValue(values, name) !== '')
  return (
    <details class="options" open={isGiven} data-screen>
      <summary>What DNS does not show (optional)</summary>
      {OWNER_FIELDS.map(({ name, label, placeholder }) => (
        <label>
          {label}
          <input
            name={name}
            value={fieldValue(values, name)}
            maxlength={320}
            placeholder={placeholder}
            autocomplete="off"
            autocapitalize="none"
            spellcheck={false}
          />
        </label>
      ))}
    </details>
  )
}

/** Keeps `exact` when the form on a page for an exact name is sent again. */
export function HiddenExact({ values: { exact = [] } }: { values: FormValues }) {
  return exact.includes('true') ? <input type="hidden" name="exact" value="true" /> : null
}

/** The other parameters of a page, for a form that asks for only some of them. */
export function HiddenValues({
  values,
  except,
}: {
  values: FormValues
  except: readonly string[]
}) {
  return (
    <>
      {Object.entries(values)
        .filter(([name]) => !except.includes(name))
        .flatMap(([name, texts]) =>
          texts.map((text) => <input type="hidden" name={name} value={text} />),
        )}
    </>
  )
}
