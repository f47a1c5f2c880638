/** A tile for each mechanism, in everyday words. */
import {
  type CheckReports,
  type DomainReport,
  MECHANISM_TITLES,
  type MechanismSummary,
  summarizeMechanisms,
} from '@mailgrade/core'
import type { FormValues } from '../../http/query-parameters.js'
import { HiddenValues, SelectorInput } from '../input-fields.js'
import { StatusBadge } from '../parts/status-badge.js'
import { useLink } from '../site-context.js'

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
  readonly name: keyof CheckReports
  readonly children?: unknown
}

function Tile({ name, status, word, words, children }: TileProps) {
  return (
    <li class={status}>
      <div>
        <a href={`#${name}`}>
          {MECHANISM_TITLES[name]} <small>({name.toUpperCase()})</small>
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
