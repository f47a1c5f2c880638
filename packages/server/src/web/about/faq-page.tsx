/** Questions and answers for people who use the check. */
import { CONTENT } from '../../content/generated/content.js'
import type { Page } from '../layout.js'
import { Prose, ProseSection, useSections } from '../prose.js'

const FAQ = CONTENT.pages.faq

export function faqPage(): Page {
  const { title, description } = FAQ
  return { title, description, body: <Faq /> }
}

function Faq() {
  const questions = useSections(FAQ)
  return (
    <>
      <h1>{FAQ.title}</h1>
      <Prose of={FAQ.intro} />
      <nav aria-label="Questions">
        <ul class="plain">
          {questions.map(({ anchor, title }) => (
            <li>
              <a href={`#${anchor}`}>
                <Prose of={title} />
              </a>
            </li>
          ))}
        </ul>
      </nav>
      {questions.map((question) => (
        <ProseSection section={question} />
      ))}
      <Prose of={FAQ.end} />
    </>
  )
}
