/** Prose from `content/`, with the values of its places. */
import { LOOKUP_LIMIT } from '@mailgrade/core'
import { check } from '@mailgrade/operations/check'
import { exampleInput, isPaid } from '@mailgrade/operations/operation'
import { endpointDocsPath, PATHS } from '@mailgrade/operations/service-paths'
import { raw } from 'hono/html'
import type { Child } from 'hono/jsx'
import type { PageTemplate, Section, Template, ValueName } from '../content/page-template.js'
import type { Page } from './layout.js'
import { CopyableBlock } from './parts/copyable.js'
import { formatAmount } from './parts/format-amount.js'
import { useLink, useSite } from './site-context.js'

/** A page that is nothing but its prose. */
export function prosePage(page: PageTemplate): Page {
  const { title, description } = page
  return { title, description, body: <ProsePage {...page} /> }
}

function ProsePage(page: PageTemplate) {
  return (
    <>
      <h1>{page.title}</h1>
      <Prose of={page.intro} />
      {useSections(page).map(({ anchor, title, body }) => (
        <>
          <h2 {...(anchor !== null && { id: anchor })}>
            <Prose of={title} />
          </h2>
          <Prose of={body} />
        </>
      ))}
      <Prose of={page.end} />
    </>
  )
}

/** A section that others can link to, with what code adds to it. */
export function ProseSection({ section, children }: { section: Section; children?: Child }) {
  const { anchor, title, body } = section
  return (
    <section aria-labelledby={anchor ?? undefined}>
      <h2 id={anchor ?? undefined}>
        <Prose of={title} />
      </h2>
      <Prose of={body} />
      {children}
    </section>
  )
}

/** The section that code adds something to. */
export function findSection({ sections }: PageTemplate, anchor: string): Section {
  const section = sections.find((it) => it.anchor === anchor)
  if (!section) throw new Error(`no section has the anchor ${anchor}`)
  return section
}

/** Those that apply to this service. */
export function useSections({ sections }: Pick<PageTemplate, 'sections'>): Section[] {
  const values = useValues()
  return sections.filter(({ given }) => given === null || values[given])
}

export function Prose({ of }: { of: Template }) {
  return <>{fillTemplate(of, useValues())}</>
}

type Values = Readonly<Record<ValueName, Child>>

function fillTemplate(template: Template, values: Values): Child[] {
  return template.map((piece) => {
    if (typeof piece === 'string') return raw(piece)
    if ('given' in piece) {
      return fillTemplate(values[piece.given] ? piece.words : piece.otherwise, values)
    }
    const value = values[piece.name]
    if (value === null || typeof value === 'boolean')
      throw new Error(`{${piece.name}} has no value`)
    return value
  })
}

function useValues(): Values {
  const { name, limit, windowSeconds, money, terms, contactEmail, isSandbox } = useSite()
  return {
    name,
    limit,
    windowSeconds,
    money,
    paid: terms !== null,
    sandbox: isSandbox,
    contact: contactEmail,
    lookupLimit: LOOKUP_LIMIT,
    base: useLink()(''),
    prices: <Prices />,
    priceLinks: <Prices isLinked />,
    checkCommand: <CheckCommand />,
    mcpUrl: <McpUrl />,
  }
}

function Prices({ isLinked = false }: { isLinked?: boolean }) {
  const { operations } = useSite()
  const link = useLink()
  return (
    <ul>
      {operations.filter(isPaid).map((operation) => {
        const title = operation.tool?.title ?? operation.summary
        return (
          <li>
            {isLinked ? <a href={link(endpointDocsPath(operation))}>{title}</a> : title}:{' '}
            {formatAmount(operation.price)} USD
          </li>
        )
      })}
    </ul>
  )
}

function CheckCommand() {
  const { baseUrl, isSandbox } = useSite()
  const query = new URLSearchParams(exampleInput(check, isSandbox))
  return <CopyableBlock text={`curl '${baseUrl}${check.path}?${query}'`} what="the command" />
}

function McpUrl() {
  return <CopyableBlock text={useSite().baseUrl + PATHS.mcp} what="the URL" />
}
