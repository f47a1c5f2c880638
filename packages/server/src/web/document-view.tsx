/** A report on a page. */
import type { Block, BlockOf } from '@mailgrade/core'
import { ForgedMailPath } from './check/forged-mail-path.js'
import { LookupBudget, LookupTree } from './check/spf-lookups.js'
import { Tiles } from './check/tiles.js'
import { findingPagePath, mechanismPagePath } from './page-paths.js'
import { FactList, RecordText } from './parts/fact-list.js'
import { FindingList } from './parts/finding-list.js'
import { Reference, RichText } from './parts/inline-text.js'
import { RecordFields } from './parts/record-fields.js'
import { useLink } from './site-context.js'

export function DocumentView({ blocks }: { blocks: readonly Block[] }) {
  return (
    <>
      {blocks.map((block) => (
        <BlockView block={block} />
      ))}
    </>
  )
}

function BlockView({ block }: { block: Block }) {
  const link = useLink()
  switch (block.kind) {
    case 'heading': {
      const Heading = `h${block.level}` as const
      return <Heading id={block.id}>{block.text}</Heading>
    }
    case 'paragraph':
      return (
        <p>
          <RichText text={block.text} />
        </p>
      )
    case 'verdict':
      return (
        <div class={`answer ${block.status}`}>
          <p class="sentence">{block.answer}</p>
          <p class="summary">{block.meaning}</p>
        </div>
      )
    case 'list':
      return (
        <ul>
          {block.items.map((item) => (
            <Item {...item} />
          ))}
        </ul>
      )
    case 'facts':
      return (
        <>
          {block.title && <h3>{block.title}</h3>}
          <FactList facts={block.facts.map((fact) => [fact.label, <FactValue {...fact} />])} />
        </>
      )
    case 'records':
      return (
        <>
          {block.records.map((record) => (
            <RecordText>{record}</RecordText>
          ))}
        </>
      )
    case 'publish':
      return (
        <>
          {block.records.map((record) => (
            <RecordFields {...record} />
          ))}
          <p>
            <a href={link(`${mechanismPagePath('dmarc')}#dns-hosts`)}>Where to enter these</a>
          </p>
        </>
      )
    case 'table':
      return (
        <table class="servers">
          <TableHead columns={block.columns} />
          <tbody>
            {block.rows.map((cells) => (
              <tr>
                {cells.map((cell) => (
                  <td>
                    <RichText text={cell} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      )
    case 'keys':
      return (
        <ul class="keys">
          {block.keys.map((key) => (
            <Key {...key} />
          ))}
        </ul>
      )
    case 'details':
      return (
        <details>
          <summary>{block.summary}</summary>
          <p class="selectors">{block.text}</p>
        </details>
      )
    case 'path':
      return <ForgedMailPath path={block} />
    case 'tiles':
      return <Tiles tiles={block.tiles} values={{}} />
    case 'lookups':
      return (
        <>
          <LookupBudget {...block} />
          <LookupTree tree={block.tree} />
        </>
      )
    case 'points':
      return <Points {...block} />
    case 'steps':
      return (
        <>
          <h3>{block.title}</h3>
          <ol class="fixes">
            {block.steps.map(({ title, text, record }) => (
              <li>
                <strong>{title}</strong>
                <p>{text}</p>
                {record && <RecordFields {...record} />}
              </li>
            ))}
          </ol>
        </>
      )
    case 'findings':
      return <FindingList findings={block.findings} />
    case 'notes':
      return (
        <details class="notes">
          <summary>
            {block.title} ({block.findings.length})
          </summary>
          <FindingList findings={block.findings} />
        </details>
      )
  }
}

function Item({ text, id, reference }: BlockOf<'list'>['items'][number]) {
  return (
    <li>
      <RichText text={text} />
      {id && reference && (
        <>
          {' '}
          <small>
            <code>{id}</code> · <Reference text={reference} />
          </small>
        </>
      )}
    </li>
  )
}

function FactValue({ value, list }: BlockOf<'facts'>['facts'][number]) {
  if (!list) return <RichText text={value} />
  return (
    <ul class="plain">
      {list.map((text) => (
        <li>
          <RichText text={text} />
        </li>
      ))}
    </ul>
  )
}

function TableHead({ columns }: { columns: readonly string[] }) {
  return (
    <thead>
      <tr>
        {columns.map((column) => (
          <th scope="col">{column}</th>
        ))}
      </tr>
    </thead>
  )
}

function Key({ name, size, text, problems, record }: BlockOf<'keys'>['keys'][number]) {
  return (
    <li>
      <strong class="size">{size}</strong>
      <div>
        <code>{name}</code>
        <p>{text}</p>
        {problems.map((problem) => (
          <p class="fault">{problem}</p>
        ))}
        <details>
          <summary>Record</summary>
          <RecordText>{record}</RecordText>
        </details>
      </div>
    </li>
  )
}

const BAR_WIDTH = 140

function Points({ columns, rows }: BlockOf<'points'>) {
  const link = useLink()
  return (
    <table class="components">
      <TableHead columns={columns} />
      <tbody>
        {rows.map(({ name, points, max, words, losses }) => (
          <tr>
            <th scope="row">{name}</th>
            <td>
              <svg viewBox={`0 0 ${BAR_WIDTH} 10`} width={BAR_WIDTH} height="10" aria-hidden="true">
                <rect class="left" width={BAR_WIDTH} height="10" rx="3" />
                <rect class="used" width={(BAR_WIDTH * points) / max} height="10" rx="3" />
              </svg>{' '}
              {words}
            </td>
            <td>
              {losses.length === 0 && <span class="none">none</span>}
              {losses.length > 0 && (
                <ul class="plain">
                  {losses.map(({ id, text }) => (
                    <li>
                      {text}{' '}
                      <small>
                        <a href={link(findingPagePath(id))}>{id}</a>
                      </small>
                    </li>
                  ))}
                </ul>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
