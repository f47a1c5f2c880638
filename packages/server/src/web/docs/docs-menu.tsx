/** What the documentation has, in groups: the menu of each of its pages and the start pages show the same. */
import { isPaid, type Operation } from '@mailgrade/operations/operation'
import { endpointDocsPath, PATHS } from '@mailgrade/operations/service-paths'
import type { Page } from '../layout.js'
import {
  CALLER_GUIDE_NAMES,
  GUIDES,
  type GuideName,
  guidePath,
  OPERATOR_GUIDE_NAMES,
} from '../page-paths.js'
import { type SiteInfo, useLink, useSite } from '../site-context.js'

export interface MenuItem {
  readonly path: string
  readonly title: string
  /** The title is a path of the API. */
  readonly isCode?: true
  /** In US dollars. */
  readonly price?: string
  /** One line for the start page. */
  readonly about: string
}

export interface MenuGroup {
  readonly title: string
  /** A sentence above the items on the start page. */
  readonly note?: string
  readonly items: readonly MenuItem[]
}

interface DocsMenu {
  /** The page that lists everything in the groups. */
  readonly start: MenuItem
  readonly groups: readonly MenuGroup[]
  /** The way to the other menu. */
  readonly other: MenuItem
}

const CALLERS_START: MenuItem = {
  path: PATHS.docs,
  title: 'API documentation',
  about: 'Endpoints, guides, and reference for callers.',
}

const OPERATORS_START: MenuItem = {
  path: PATHS.operators,
  title: 'Run your own instance',
  about: 'Guides for operators.',
}

type MenuSource = Pick<SiteInfo, 'operations' | 'limit' | 'windowSeconds'>

/** For people and programs that call the service. */
export function callersMenu({ operations, limit, windowSeconds }: MenuSource): DocsMenu {
  const paid = operations.filter(isPaid)
  return {
    start: CALLERS_START,
    groups: [
      {
        title: 'Free endpoints',
        note: `Each caller gets ${limit} requests every ${windowSeconds} seconds across all of them.`,
        items: operations.filter((operation) => !isPaid(operation)).map(endpointItem),
      },
      {
        title: 'Paid endpoints',
        note:
          paid.length > 0
            ? 'You pay per request with x402, and only if you get a report.'
            : 'This instance doesn’t sell reports. Some guides describe reports that other instances sell.',
        items: paid.map(endpointItem),
      },
      { title: 'Guides', items: CALLER_GUIDE_NAMES.map(guideItem) },
      { title: 'Reference', items: REFERENCE },
      { title: 'For programs', items: machineFiles(paid.length > 0) },
    ],
    other: OPERATORS_START,
  }
}

/** For people who run an instance. */
export const OPERATORS_MENU: DocsMenu = {
  start: OPERATORS_START,
  groups: [{ title: 'Guides for operators', items: OPERATOR_GUIDE_NAMES.map(guideItem) }],
  other: CALLERS_START,
}

const OPERATOR_PATHS: ReadonlySet<string> = new Set([
  PATHS.operators,
  ...OPERATOR_GUIDE_NAMES.map(guidePath),
])

function isForOperators(path: string): boolean {
  return OPERATOR_PATHS.has(path)
}

function endpointItem(operation: Operation): MenuItem {
  const { path: title, summary, price } = operation
  const about = `${summary}.`
  return { path: endpointDocsPath(operation), title, isCode: true, about, ...(price && { price }) }
}

function guideItem(name: GuideName): MenuItem {
  return { path: guidePath(name), ...GUIDES[name] }
}

const REFERENCE: readonly MenuItem[] = [
  { path: PATHS.findings, title: 'Findings', about: 'Everything a report can point out.' },
  { path: PATHS.problems, title: 'Problems', about: 'Every error, and what to do about it.' },
]

/** What programs read. */
function machineFiles(isSelling: boolean): MenuItem[] {
  return [
    { path: PATHS.openapi, title: 'OpenAPI document', about: 'All schemas, for code generators.' },
    { path: PATHS.llms, title: 'llms.txt', about: 'A summary for language models.' },
    ...(isSelling
      ? [{ path: PATHS.manifest, title: 'x402 manifest', about: 'Prices, and how to pay.' }]
      : []),
    { path: PATHS.apiCatalog, title: 'API catalog', about: 'Links to all of these (RFC 9727).' },
  ]
}

/** The page at this path, with the menu beside its content, or above it on narrow screens. */
export function withDocsMenu(path: string, page: Page): Page {
  return {
    ...page,
    body: (
      <div class="docs">
        <Menu path={path} />
        <div class="docs-content" id="content">
          {page.body}
        </div>
      </div>
    ),
  }
}

/** A disclosure beside the list, not around it: wide screens can then show the list without it. */
function Menu({ path }: { path: string }) {
  const site = useSite()
  const menu = isForOperators(path) ? OPERATORS_MENU : callersMenu(site)
  return (
    <div class="docs-menu">
      <a class="skip" href="#content">
        Skip the documentation menu
      </a>
      <details data-screen>
        <summary>Documentation menu</summary>
      </details>
      <nav aria-label="Documentation">
        <MenuLists menu={menu} path={path} />
      </nav>
    </div>
  )
}

function MenuLists({ menu: { start, groups, other }, path }: { menu: DocsMenu; path: string }) {
  return (
    <>
      <p>
        <MenuLink item={start} path={path} />
      </p>
      {groups
        .filter(({ items }) => items.length > 0)
        .map(({ title, items }) => (
          <>
            <p class="group" id={groupId(title)}>
              {title}
            </p>
            <ul aria-labelledby={groupId(title)}>
              {items.map((item) => (
                <li>
                  <MenuLink item={item} path={path} />
                </li>
              ))}
            </ul>
          </>
        ))}
      <p class="other">
        <MenuLink item={other} path={path} />
      </p>
    </>
  )
}

/** Titles are not headings: those of the page follow, and begin with the first level. */
function groupId(title: string): string {
  return `menu-${title.toLowerCase().replaceAll(' ', '-')}`
}

function MenuLink({ item: { path: target, title, isCode }, path }: MenuLinkProps) {
  const link = useLink()
  return (
    <a href={link(target)} aria-current={currentState(target, path)}>
      {isCode ? <code>{title}</code> : title}
    </a>
  )
}

interface MenuLinkProps {
  readonly item: MenuItem
  /** The page that the menu is on. */
  readonly path: string
}

/** The menu does not list each problem, so their pages mark the list of problems. */
function currentState(target: string, path: string): 'page' | 'true' | undefined {
  if (target === path) return 'page'
  return target === PATHS.problems && path.startsWith(`${target}/`) ? 'true' : undefined
}
