/** Every page of the documentation: its menu beside the content, or above it on narrow screens. */
import { PATHS } from '@mailgrade/operations/service-paths'
import type { Page } from '../layout.js'
import { useLink, useSite } from '../site-context.js'
import {
  callersMenu,
  type DocsMenu,
  isForOperators,
  type MenuItem,
  OPERATORS_MENU,
} from './docs-menu.js'

/** The page at this path, with the menu. */
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
