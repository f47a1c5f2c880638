/** The answer for an example domain, without the actions of a real one. */
import { type DomainReport, describeVerdict } from '@mailgrade/core'
import { VerdictMark } from '../parts/verdict-mark.js'
import { useLink, useSite } from '../site-context.js'

export function SampleAnswer({ report }: { report: DomainReport }) {
  const { isSandbox } = useSite()
  const link = useLink()
  const { domain } = report
  const { status, label, answer, meaning } = describeVerdict(report)
  return (
    <div class={`answer ${status}`}>
      <VerdictMark status={status} label={label} />
      <div>
        <p class="who">
          Example: <strong>{domain}</strong>
        </p>
        <p class="sentence">{answer}</p>
        <p class="summary">{meaning}</p>
        {isSandbox && (
          <p>
            <a href={link(`/?domain=${domain}`)}>See the full result</a>
          </p>
        )}
      </div>
    </div>
  )
}
