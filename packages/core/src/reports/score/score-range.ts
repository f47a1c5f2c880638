/** How far the score may be from the truth, since the DNS does not list DKIM selectors. */
import { type Finding, finding } from '../../checks/finding.js'
import { judgeTogether } from '../check/judge-together.js'
import type { Parts } from '../check/parts.js'
import { assess } from './assess.js'
import type { ScoreReport } from './score-report.js'

/** Takes parts as they were gathered: what shows side by side depends on what is supposed here. */
export function scoreRange(gathered: Parts): ScoreReport['range'] {
  // Of a domain that sends nothing all three come to the same.
  const isOpen = gathered.dkim.presence === 'unknown'
  const [worst, best] = isOpen
    ? [withoutKey(gathered), withGoodKey(gathered)]
    : [gathered, gathered]
  return { min: assess(judgeTogether(worst)).score, max: assess(judgeTogether(best)).score }
}

/** Whatever else was found stays as it is: a weak key is a hole, be it of use or not. */
function withoutKey({ dkim, ...others }: Parts): Parts {
  const missing = finding('dkim.missing', { title: '', detail: '', fix: '' })
  return { ...others, dkim: { ...dkim, presence: 'absent', issues: [missing, ...known(dkim)] } }
}

function withGoodKey({ dkim, ...others }: Parts): Parts {
  return { ...others, dkim: { ...dkim, presence: 'present', issues: known(dkim) } }
}

const OPEN: ReadonlySet<string> = new Set(['dkim.unknown', 'dkim.unknown-selector', 'dkim.revoked'])

function known({ issues }: Parts['dkim']): Finding[] {
  return issues.filter(({ id }) => !OPEN.has(id))
}
