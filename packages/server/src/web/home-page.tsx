/** The home page: check a domain for free, what the check shows, and why it matters. */
import { type DomainReport, describeCheck } from '@mailgrade/core'
import { CONTENT } from '../content/generated/content.js'
import { ForgedMailPath } from './check/forged-mail-path.js'
import { SampleAnswer } from './check/sample-answer.js'
import { DomainForm } from './input-fields.js'
import type { Page } from './layout.js'
import { PaidReportList } from './paid-reports.js'
import { findSection, Prose, ProseSection } from './prose.js'
import { useSite } from './site-context.js'

const HOME = CONTENT.pages.home
const DEMO = findSection(HOME, 'demo')

/** `sample` is the result for a demo domain. */
export function homePage(sample: DomainReport): Page {
  const { title, description } = HOME
  return { title, description, body: <Home sample={sample} /> }
}

function Home({ sample }: { sample: DomainReport }) {
  const { isSandbox } = useSite()
  return (
    <>
      <section class="hero">
        <h1>{HOME.title}</h1>
        <Prose of={HOME.intro} />
        <DomainForm values={{}} />
        {isSandbox && (
          <div class="demo">
            <p>
              <Prose of={DEMO.title} />
            </p>
            <Prose of={DEMO.body} />
          </div>
        )}
      </section>
      {/* A real report on a demo domain, made by the same code as every other. */}
      <ProseSection section={findSection(HOME, 'sample')}>
        <SampleAnswer report={sample} />
        <ForgedMailPath path={describeCheck(sample).path} level={3} />
      </ProseSection>
      <ProseSection section={findSection(HOME, 'why')} />
      <PaidReportList />
      <ProseSection section={findSection(HOME, 'developers')} />
    </>
  )
}
