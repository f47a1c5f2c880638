/** Whether mail from one server passes SPF: the question, and the answer if it was asked. */
import type { SpfEvaluation } from '@mailgrade/core'
import type { FormValues } from '../../http/query-parameters.js'
import { fieldValue, HiddenValues } from '../input-fields.js'
import { Badge, type BadgeTone } from '../parts/status-badge.js'
import { VERBATIM_INPUT } from '../parts/verbatim-input.js'
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

interface ResultWords {
  readonly tone: BadgeTone
  readonly word: string
  readonly meaning: string
}

const RESULTS: Readonly<Record<SpfEvaluation['result'], ResultWords>> = {
  pass: { tone: 'pass', word: 'Pass', meaning: 'This server may send for the domain.' },
  fail: { tone: 'fail', word: 'Fail', meaning: 'This server may not send for the domain.' },
  softfail: {
    tone: 'warn',
    word: 'Soft fail',
    meaning: 'This server is probably not allowed to send for the domain.',
  },
  neutral: { tone: 'warn', word: 'Neutral', meaning: 'SPF says nothing about this server.' },
  none: { tone: 'warn', word: 'None', meaning: 'The domain has no SPF record.' },
  temperror: {
    tone: 'info',
    word: 'Temporary error',
    meaning:
      'We couldn’t reach DNS for a part of the record. Receivers may defer the mail; the sending server then tries again.',
  },
  permerror: {
    tone: 'fail',
    word: 'Permanent error',
    meaning: 'The record is broken for this server, so its mail does not pass.',
  },
}

function Result({ domain, evaluation }: { domain: string; evaluation: SpfEvaluation }) {
  const { ip, sender, result, matched, explanation, lookups, voidLookups } = evaluation
  const { tone, word, meaning } = RESULTS[result]
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
        <p>{describeEnd(evaluation)}</p>
      )}
      {explanation !== null && <p>The domain explains: “{explanation}”</p>}
      <p class="meta">
        Asked about mail from <code>{ip}</code> as <code>{sender}</code>, by the record of {domain}:{' '}
        {count(lookups, 10, 'DNS lookups')}, {count(voidLookups, 2, 'empty (void) lookups')}
      </p>
    </div>
  )
}

function count(used: number, limit: number, what: string): string {
  return used > limit ? `more than ${limit} ${what}` : `${used} of ${limit} ${what}`
}

/** Why no term decided the result. */
function describeEnd({ result, lookups, voidLookups }: SpfEvaluation): string {
  if (result === 'permerror' && lookups > 10)
    return 'It ends at the 11th DNS lookup; 10 are allowed.'
  if (result === 'permerror' && voidLookups > 2) {
    return 'It ends at the third empty (void) lookup; 2 are allowed.'
  }
  return result === 'neutral' ? 'No term matches this server.' : 'No term decided it.'
}
