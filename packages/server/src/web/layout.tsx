/** The frame of every page: head, header and footer. */
import { ICON_PATH } from '@mailgrade/operations/mcp/server-identity'
import { PATHS } from '@mailgrade/operations/service-paths'
import { raw } from 'hono/html'
import type { Child } from 'hono/jsx'
import { type SiteInfo, SiteProvider, useLink, useSite } from './site-context.js'

/** The modules that page.js imports. Preloading them saves a round trip. */
const PRELOADED_SCRIPTS = [
  'copy-buttons.js',
  'earlier-result.js',
  'saved-reports.js',
  'session-store.js',
]

export interface Page {
  readonly title: string
  readonly description: string
  readonly body: Child
  /** Keeps the page out of search engines, because it is about someone’s domain or an error. */
  readonly isNoindex?: true
  /** The path of the image that platforms show with a link to the page. */
  readonly image?: string
  /** The path and query that a link to the page should have. */
  readonly url?: string
  /** Modules that only this page needs, by file name. */
  readonly scripts?: readonly string[]
}

/** The whole page as HTML. */
export function renderPage(page: Page, site: SiteInfo): string {
  return `<!doctype html>${renderFragment(<Layout {...page} />, site)}`
}

export function renderFragment(fragment: Child, site: SiteInfo): string {
  return `${<SiteProvider value={site}>{fragment}</SiteProvider>}`
}

/** Marks where a page that is sent in pieces is cut, twice. */
export const CUT = raw('<!-- cut -->')

/** What comes before, between and after the cuts. */
export function renderAroundCuts(page: Page, site: SiteInfo): readonly [string, string, string] {
  const [before = '', between = '', after = ''] = renderPage(page, site).split(`${CUT}`)
  return [before, between, after]
}

function Layout({ body, ...page }: Page) {
  const { name, isSandbox } = useSite()
  return (
    <html lang="en">
      <Head {...page} />
      <body>
        <a class="skip" href="#main">
          Skip to content
        </a>
        {isSandbox && <SandboxNotice />}
        <Header />
        {/* The script announces here what the browser is loading. */}
        <p class="loading" role="status" />
        <main id="main">{body}</main>
        <Footer name={name} />
      </body>
    </html>
  )
}

function Head({ title, description, isNoindex, image, url, scripts = [] }: Omit<Page, 'body'>) {
  const { name, baseUrl, assets } = useSite()
  const link = useLink()
  const fullTitle = title === name ? name : `${title} · ${name}`
  return (
    <head>
      <meta charset="utf-8" />
      <title>{fullTitle}</title>
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="description" content={description} />
      <meta name="color-scheme" content="light dark" />
      {isNoindex && <meta name="robots" content="noindex" />}
      <meta property="og:title" content={fullTitle} />
      <meta property="og:description" content={description} />
      <meta property="og:type" content="website" />
      {url && <meta property="og:url" content={baseUrl + url} />}
      <meta property="og:image" content={baseUrl + (image ?? `${assets}/card.png`)} />
      {image && <meta property="og:image:alt" content={fullTitle} />}
      <meta name="twitter:card" content="summary_large_image" />
      <link rel="icon" href={link(ICON_PATH)} type="image/svg+xml" />
      <link rel="stylesheet" href={link(`${assets}/style.css`)} />
      <script type="module" src={link(`${assets}/page.js`)} />
      {scripts.map((script) => (
        <script type="module" src={link(`${assets}/${script}`)} />
      ))}
      {PRELOADED_SCRIPTS.map((script) => (
        <link rel="modulepreload" href={link(`${assets}/${script}`)} />
      ))}
    </head>
  )
}

function SandboxNotice() {
  return (
    <aside class="notice" aria-label="Demo mode">
      <strong>Demo mode:</strong> <code>.test</code> domains are examples, and payments use play
      money.
    </aside>
  )
}

function Header() {
  const { name, terms } = useSite()
  const link = useLink()
  return (
    <header class="top">
      <a class="brand" href={link('/')}>
        <img src={link(ICON_PATH)} alt="" width="28" height="28" />
        {name}
      </a>
      <nav aria-label="Site">
        <a href={link(PATHS.domains)}>Bulk check</a>
        <a href={link(PATHS.learn)}>Learn</a>
        <a href={link(PATHS.docs)}>API docs</a>
        {terms && (
          <a href={link(PATHS.reports)}>
            My reports<span data-report-count></span>
          </a>
        )}
      </nav>
    </header>
  )
}

function Footer({ name }: { name: string }) {
  const { contactEmail, monitoringUrl } = useSite()
  const link = useLink()
  return (
    <footer>
      <p>{name} reads public DNS records live and doesn’t log who checks which domain.</p>
      <nav aria-label="About">
        <a href={link(PATHS.faq)}>Questions and answers</a>
        <a href={link(PATHS.privacy)}>Privacy</a>
        <a href={link(PATHS.terms)}>Terms</a>
        {monitoringUrl && <a href={monitoringUrl}>Daily monitoring</a>}
        {contactEmail && <a href={`mailto:${contactEmail}`}>Contact: {contactEmail}</a>}
      </nav>
    </footer>
  )
}
