/** The plan as files, made on the server, so they need no script. */
import { type FixPlan, planFiles, TERRAFORM_HOST_NAMES } from '@mailgrade/core'
import { CopyableBlock } from '../../parts/copyable.js'
import { dataUrl } from './data-url.js'

const TERRAFORM_HOSTS = new Intl.ListFormat('en-US').format(TERRAFORM_HOST_NAMES)

export function PlanDownloads({ plan }: { plan: FixPlan }) {
  const { zoneFile, terraform } = plan.exports
  const files = planFiles(plan)
  const missing = files.filter(({ content }) => content === null).map(({ label }) => label)
  return (
    <div class="downloads">
      <h3>Downloads</h3>
      <ul>
        {files.map(
          ({ label, name, type, content }) =>
            content !== null && (
              <li>
                <a download={name} href={dataUrl({ type, content })}>
                  {label}
                </a>
              </li>
            ),
        )}
        <li>
          <button type="button" class="copy" data-print hidden>
            Print or save as PDF
          </button>
        </li>
      </ul>
      <p>
        Use the zone file with BIND, or with a DNS host that can import zone files.{' '}
        {terraform
          ? `The Terraform code only works with ${plan.dnsHost?.name}.`
          : `There’s no Terraform code for ${plan.dnsHost?.name ?? 'a DNS host we don’t recognize'}. We write it for ${TERRAFORM_HOSTS}.`}
      </p>
      {missing.length > 0 && (
        <p>
          Not available: {missing.join(', ')}. Your current records contain invisible characters
          that these files can’t represent exactly. The API returns them unchanged.
        </p>
      )}
      <details data-screen>
        <summary>View the zone file{terraform && ' and Terraform'}</summary>
        <CopyableBlock text={zoneFile} what="the zone file" />
        {terraform && <CopyableBlock text={terraform} what="the Terraform code" />}
      </details>
    </div>
  )
}
