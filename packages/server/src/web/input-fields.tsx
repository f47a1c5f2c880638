/** The form that every visit starts with, the fields that several forms share, and links with their values. */
import { ALL_SERVICES } from '@mailgrade/core'
import type { ProblemDetails } from '@mailgrade/operations/problem-details'
import type { FormValues } from '../http/query-parameters.js'
import { useLink } from './site-context.js'

/** What the field of a form is filled with. */
export function fieldValue(values: FormValues, name: string): string {
  return (values[name]?.[0] ?? '').slice(0, 320)
}

/** The values of a parameter that takes a list, repeated or separated by commas. */
export function fieldValues(values: FormValues, name: string): string[] {
  const texts = (values[name] ?? []).flatMap((text) => text.split(','))
  return texts.map((text) => text.trim()).filter((text) => text !== '')
}

/** The values as a query string, without empty ones. */
export function toQuery(values: FormValues): string {
  const pairs = Object.entries(values).flatMap(([name, texts]) =>
    texts.filter((text) => text !== '').map((text): [string, string] => [name, text]),
  )
  return new URLSearchParams(pairs).toString()
}

/** What a picture of the same result needs beside the domain: `?selector=s1`. */
export function toImageQuery({ selector = [], exact = [] }: FormValues): string {
  const query = toQuery({ selector, exact })
  return query === '' ? '' : `?${query}`
}

/** Behind a disclosure, because few people know their selector. */
export function SelectorFields({ values }: { values: FormValues }) {
  const { selector = [] } = values
  return (
    <details class="options" open={selector.length > 0} data-screen>
      <summary>DKIM selector (optional)</summary>
      {(selector.length > 0 ? selector : ['']).map((value) => (
        <label>
          Your DKIM selector (the <code>s=</code> value in your mail’s DKIM-Signature header)
          <SelectorInput value={value} />
        </label>
      ))}
    </details>
  )
}

interface SelectorInputProps {
  readonly value?: string
  readonly required?: boolean
}

export function SelectorInput(props: SelectorInputProps) {
  return (
    <input name="selector" {...props} maxlength={506} placeholder="google" {...VERBATIM_INPUT} />
  )
}

/** What only the owner knows. */
export function OwnerFields({ values }: { values: FormValues }) {
  const isGiven = ['rua', 'uses', 'unused'].some((name) => fieldValue(values, name) !== '')
  return (
    <details class="options" open={isGiven} data-screen>
      <summary>Tell us more for a better plan (optional)</summary>
      <ReportAddressField values={values} />
      <p>To pick more than one service, hold Ctrl (⌘ on a Mac).</p>
      <ServiceChoice name="uses" label="Services you use to send mail" values={values} />
      <ServiceChoice name="unused" label="Services you don’t use anymore" values={values} />
    </details>
  )
}

export function ReportAddressField({ values }: { values: FormValues }) {
  return (
    <label>
      Where DMARC reports should go
      <input
        name="rua"
        value={fieldValue(values, 'rua')}
        maxlength={320}
        placeholder="dmarc@example.com"
        {...VERBATIM_INPUT}
      />
    </label>
  )
}

interface ServiceChoiceProps {
  readonly name: 'uses' | 'unused'
  readonly label: string
  readonly values: FormValues
  /** The ids of services that are asked about by themselves. */
  readonly except?: ReadonlySet<string>
}

/** People choose names; the form sends ids. */
export function ServiceChoice({ name, label, values, except }: ServiceChoiceProps) {
  const chosen = new Set(fieldValues(values, name))
  return (
    <label>
      {label}
      <select name={name} multiple size={5}>
        {SERVICES_BY_NAME.filter(({ id }) => !except?.has(id)).map((service) => (
          <option value={service.id} selected={chosen.has(service.id)}>
            {service.name}
          </option>
        ))}
      </select>
    </label>
  )
}

export function serviceName(id: string): string {
  return ALL_SERVICES.find((service) => service.id === id)?.name ?? id
}

const SERVICES_BY_NAME = [...ALL_SERVICES].sort((one, other) => one.name.localeCompare(other.name))

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

/** The attributes of a field for names and addresses, which no browser or phone should change. */
export const VERBATIM_INPUT = {
  autocomplete: 'off',
  autocapitalize: 'none',
  spellcheck: false,
} as const

interface RequestedNameProps {
  readonly report: object
  /** The page that reports on the name itself. */
  readonly path: string
  /** The other parameters of the request. */
  readonly values: FormValues
}

/** Says that the report is about the domain behind a `www.` name, with a link to the name itself. */
export function RequestedName({ report, path, values }: RequestedNameProps) {
  const link = useLink()
  const { domain, requested }: { domain?: unknown; requested?: unknown } = report
  if (typeof domain !== 'string' || typeof requested !== 'string') return null
  const query = toQuery({ ...values, domain: [requested], exact: ['true'] })
  return (
    <p class="requested">
      You entered {requested}. This is the report for {domain}.{' '}
      <a href={link(`${path}?${query}`)}>Check {requested} itself</a>
    </p>
  )
}

interface DomainFormProps {
  readonly values: FormValues
  /** What was wrong with the input, which is marked then. */
  readonly problem?: Pick<ProblemDetails, 'parameter'>
}

export function DomainForm({ values, problem }: DomainFormProps) {
  const link = useLink()
  const isInvalid = problem?.parameter === 'domain'
  return (
    <search>
      <form class="ask" action={link('/')} method="get">
        <label for="domain">Domain, email address, or website</label>
        <div>
          <input
            id="domain"
            name="domain"
            value={fieldValue(values, 'domain')}
            required
            maxlength={320}
            placeholder="example.com"
            {...VERBATIM_INPUT}
            inputmode="url"
            {...(isInvalid && { 'aria-invalid': 'true', 'aria-describedby': 'problem' })}
          />
          <button type="submit">Check</button>
        </div>
        <SelectorFields values={values} />
      </form>
    </search>
  )
}
