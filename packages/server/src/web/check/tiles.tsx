/** A tile for each mechanism, in everyday words. */
import type { BlockOf } from '@mailgrade/core'
import type { FormValues } from '../../http/query-parameters.js'
import { HiddenValues, SelectorInput } from '../input-fields.js'
import { StatusBadge } from '../parts/status-badge.js'
import { useLink } from '../site-context.js'

interface TilesProps {
  readonly tiles: BlockOf<'tiles'>['tiles']
  /** The parameters of the page. */
  readonly values: FormValues
}

export function Tiles({ tiles, values }: TilesProps) {
  return (
    <ul class="tiles">
      {tiles.map(({ id, name, acronym, status, text }) => (
        <li class={status}>
          <div>
            <a href={`#${id}`}>
              {name} <small>({acronym})</small>
            </a>
            <StatusBadge status={status} />
          </div>
          <span>{text}</span>
          {id === 'dkim' && status === 'unknown' && <SelectorForm values={values} />}
        </li>
      ))}
    </ul>
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
