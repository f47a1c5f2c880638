/** A tile for each mechanism, in everyday words. */
import {
  type CheckReports,
  type DomainReport,
  type MechanismSummary,
  summarizeMechanisms,
} from '@mailgrade/core'
import type { FormValues } from '../../http/query-parameters.js'
import { HiddenValues, SelectorInput } from '../input-fields.js'
import { StatusBadge } from '../parts/status-badge.js'
import { useLink } from '../site-context.js'

/** In the order of the tiles. */
export const MECHANISMS = {
  spf: 'Who may send',
  dkim: 'Signed mail',
  dmarc: 'Fakes blocked',
  mx: 'Receiving mail',
} as const satisfies Record<keyof CheckReports, string>

export type MechanismName = keyof typeof MECHANISMS

interface TilesProps {
  readonly report: DomainReport
  /** The parameters of the page. */
  readonly values: FormValues
}

export function Tiles({ report, values }: TilesProps) {
  const { spf, dkim, dmarc, mx } = summarizeMechanisms(report)
  return (
    <ul class="tiles">
      <Tile name="spf" {...spf} />
      <Tile name="dkim" {...dkim}>
        {dkim.status === 'unknown' && <SelectorForm values={values} />}
      </Tile>
      <Tile name="dmarc" {...dmarc} />
      <Tile name="mx" {...mx} />
    </ul>
  )
}

interface TileProps extends MechanismSummary {
  readonly name: MechanismName
  readonly children?: unknown
}

function Tile({ name, status, word, words, children }: TileProps) {
  return (
    <li class={status}>
      <div>
        <a href={`#${name}`}>
          {MECHANISMS[name]} <small>({name.toUpperCase()})</small>
        </a>
        <StatusBadge status={status} {...(word && { word })} />
      </div>
      <span>{words}</span>
      {children}
    </li>
  )
}

/** DNS can't list selectors, but a message of the domain shows its own. */
function SelectorForm({ values }: Pick<TilesProps, 'values'>) {
  const link = useLink()
  return (
    <form class="selector" action={`${link('/')}#dkim`} method="get">
      <HiddenValues values={values} except={['selector']} />
      <label>
        Your selector
        <SelectorInput required />
      </label>
      <small>
        The <code>s=</code> value in the DKIM-Signature header of a message you sent
      </small>
      <button type="submit">Check this key</button>
    </form>
  )
}
