/** Whether mail from one server passes SPF: the question, and the answer if it was asked. */
import {
  describeSpfEnd,
  describeSpfLookups,
  SPF_RESULT_WORDS,
  type SpfEvaluation,
} from '@mailgrade/core'
import type { FormValues } from '../../http/query-parameters.js'
import { fieldValue, HiddenValues, VERBATIM_INPUT } from '../input-fields.js'
import { Badge } from '../parts/status-badge.js'
import { useLink } from '../site-context.js'

interface EvaluationProps {
  readonly domain: string
  readonly evaluation: SpfEvaluation | undefined
  /** The parameters of the page. */
  readonly values: FormValues
}

export function SpfEvaluationView({ domain, evaluation, values }: EvaluationProps) {
  const link = useLink()
  return (
    <div class="evaluation">
      <h3 id="sender">Would mail from this server pass SPF?</h3>
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
        <details class="options" open={hasDetails(values)}>
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
      {evaluation && <Result domain={domain} evaluation={evaluation} />}
    </div>
  )
}

function hasDetails(values: FormValues): boolean {
  return fieldValue(values, 'sender') + fieldValue(values, 'helo') !== ''
}

function Result({ domain, evaluation }: { domain: string; evaluation: SpfEvaluation }) {
  const { ip, sender, result, matched, explanation } = evaluation
  const { tone, word, meaning } = SPF_RESULT_WORDS[result]
  return (
    <div class="result" role="status">
      <p>
        <Badge tone={tone} word={word} /> {meaning}
      </p>
      {matched ? (
        <p>
          Decided by <code>{matched.term}</code> in the record of {matched.record}
          {matched.path.length > 1 && (
            <>
              , where <code>{matched.innerTerm}</code> of {matched.path.at(-1)} matches
            </>
          )}
          .
        </p>
      ) : (
        <p>{describeSpfEnd(evaluation)}</p>
      )}
      {explanation !== null && <p>The domain explains: “{explanation}”</p>}
      <p class="meta">
        Asked about mail from <code>{ip}</code> as <code>{sender}</code>, by the record of {domain}:{' '}
        {describeSpfLookups(evaluation)}
      </p>
    </div>
  )
}
