/** The frame of every page: head, header and footer. */
import { raw } from 'hono/html'
import type { Child } from 'hono/jsx'
import { PATHS } from '../operations/service-paths.js'
import { type SiteInfo, SiteProvider, useLink, useSite } from './site-context.js'

/** The modules that page.js imports. Preloading them saves a round trip. */
const PRELOADED_SCRIPTS = ['copy-buttons.js', 'saved-reports.js', 'session-store.js']

export interface Page {
  readonly title: string
  readonly description: string
  readonly body: Child
  /** Keeps the page out of search engines, because it is about someone’s domain or an error. */
  readonly isNoindex?: true
}

/** The whole page as HTML. */
export function renderPage(page: Page, site: SiteInfo): string {
  const document = (
    <SiteProvider value={site}>
      <Layout {...page} />
    </SiteProvider>
  )
  return `${raw('<!doctype html>')}${document}`
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
        <main id="main">{body}</main>
        <Footer name={name} />
      </body>
    </html>
  )
}

function Head({ title, description, isNoindex }: Omit<Page, 'body'>) {
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
      <meta property="og:image" content={`${baseUrl}${assets}/card.png`} />
      <link rel="icon" href={link('/favicon.svg')} type="image/svg+xml" />
      <link rel="stylesheet" href={link(`${assets}/style.css`)} />
      <script type="module" src={link(`${assets}/page.js`)} />
      {PRELOADED_SCRIPTS.map((script) => (
        <link rel="modulepreload" href={link(`${assets}/${script}`)} />
      ))}
    </head>
  )
}

function SandboxNotice() {
  return (
    <aside class="notice" aria-label="Demo mode">
      <strong>Demo mode:</strong> <code>.test</code> domains are examples and payments use play
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
        <img src={link('/favicon.svg')} alt="" width="28" height="28" />
        {name}
      </a>
      <nav aria-label="Site">
        {terms && <a href={link('/#reports')}>Reports</a>}
        <a href={link(PATHS.docs)}>Documentation</a>
      </nav>
    </header>
  )
}

function Footer({ name }: { name: string }) {
  const { contactEmail, monitoringUrl, terms } = useSite()
  const link = useLink()
  return (
    <footer>
      <p>
        {name} reads public DNS records live and doesn’t log who checks which domain.{' '}
        {monitoringUrl && <a href={monitoringUrl}>Daily monitoring.</a>}{' '}
        {contactEmail && <a href={`mailto:${contactEmail}`}>Contact: {contactEmail}</a>}
      </p>
      <nav aria-label="For machines">
        <a href={link(PATHS.openapi)}>OpenAPI</a>
        <a href={link(PATHS.llms)}>llms.txt</a>
        {terms && <a href={link(PATHS.manifest)}>x402</a>}
        <a href={link(PATHS.apiCatalog)}>API catalog</a>
      </nav>
    </footer>
  )
}
