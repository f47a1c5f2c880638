/** SPF, with a form to ask whether mail from one server passes. */
import type { SpfDocument } from '@mailgrade/core'
import type { FormValues } from '../../http/query-parameters.js'
import { DocumentView } from '../document-view.js'
import { fieldValue, HiddenValues, VERBATIM_INPUT } from '../input-fields.js'
import { useLink } from '../site-context.js'
import { LookupBudget, LookupTree } from './spf-lookups.js'

interface SpfSectionProps {
  readonly domain: string
  readonly spf: SpfDocument
  /** The parameters of the page. */
  readonly values: FormValues
}

export function SpfSection({ domain, spf, values }: SpfSectionProps) {
  const { evaluation, records, lookups, facts } = spf
  const question = (
    <div class="evaluation">
      <h3 id="sender">Would mail from this server pass SPF?</h3>
      <SenderForm domain={domain} values={values} />
      {evaluation && (
        <div class="result" role="status">
          <DocumentView blocks={[evaluation]} />
        </div>
      )}
    </div>
  )
  return (
    <>
      <DocumentView blocks={records} />
      {lookups && <LookupBudget {...lookups} />}
      {lookups && (
        <div class="beside">
          <LookupTree tree={lookups.tree} />
          {question}
        </div>
      )}
      {!lookups && evaluation && question}
      <DocumentView blocks={facts} />
    </>
  )
}

function SenderForm({ domain, values }: Omit<SpfSectionProps, 'spf'>) {
  const link = useLink()
  const hasDetails = fieldValue(values, 'sender') + fieldValue(values, 'helo') !== ''
  return (
    <form action={`${link('/')}#sender`} method="get" data-screen>
      <HiddenValues values={values} except={['ip', 'sender', 'helo']} />
      <label for="ip">IP address of the sending server</label>
      <div>
        <input
          id="ip"
          name="ip"
          value={fieldValue(values, 'ip')}
          required
          maxlength={45}
          placeholder="192.0.2.1"
          {...VERBATIM_INPUT}
        />
        <button type="submit">Test</button>
      </div>
      <details class="options" open={hasDetails}>
        <summary>Sender and HELO name (optional)</summary>
        <label>
          Sender (MAIL FROM)
          <input
            name="sender"
            value={fieldValue(values, 'sender')}
            maxlength={320}
            placeholder={`postmaster@${domain}`}
            {...VERBATIM_INPUT}
          />
        </label>
        <label>
          HELO name
          <input
            name="helo"
            value={fieldValue(values, 'helo')}
            maxlength={255}
            placeholder="mail.example.com"
            {...VERBATIM_INPUT}
          />
        </label>
      </details>
    </form>
  )
}
