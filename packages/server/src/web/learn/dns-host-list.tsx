/** How a record is entered at each DNS host of the catalog. */
import { DNS_HOSTS, type DnsHost, describePanel, nameField } from '@mailgrade/core'
import type { RecordForm } from '../../content/mechanism.js'
import { FactList } from '../parts/fact-list.js'

/** In all examples (RFC 2606). */
export const EXAMPLE_DOMAIN = 'example.com'

/** A name below the zone, for records of the zone itself. */
const EXAMPLE_LABEL = 'news'

const ZONE = { apex: EXAMPLE_DOMAIN, nameServers: [], delegated: [] }

type Panel = DnsHost['panel']

const HOSTS = DNS_HOSTS.filter(({ isParking }) => !isParking)

export function DnsHostList({ form }: { form: RecordForm | null }) {
  return (
    <details class="long-list">
      <summary>DNS hosts ({HOSTS.length})</summary>
      <div class="setups">
        {HOSTS.map((host) => (
          <details>
            <summary>{host.name}</summary>
            {/* Inside, because browsers open the section when a link leads to something in it. */}
            <div id={`host-${host.id}`}>
              {form ? <FormFacts panel={host.panel} form={form} /> : <Start host={host} />}
            </div>
          </details>
        ))}
      </div>
    </details>
  )
}

function Start({ host }: { host: DnsHost }) {
  return <p>Start at {describePanel(host, host.panel, false)}. Look for DNSSEC.</p>
}

function FormFacts({ panel, form }: { panel: Panel; form: RecordForm }) {
  const below = `${form.label || EXAMPLE_LABEL}.${EXAMPLE_DOMAIN}`
  const isTxt = form.notes.includes('TXT')
  return (
    <>
      <FactList
        facts={[
          ['Open', <ScreenPath screen={panel.screen} />],
          [
            `Name for ${EXAMPLE_DOMAIN} itself`,
            <NameToEnter text={fieldFor(EXAMPLE_DOMAIN, panel)} />,
          ],
          [`Name for ${below}`, <NameToEnter text={fieldFor(below, panel)} />],
          isTxt ? ['Text', describeText(panel, form)] : null,
          isTxt && panel.hasRecordSets ? ['If a name has several texts', RECORD_SETS] : null,
          form.hasTarget && panel.targetDot
            ? ['Host names', 'End the target’s name with a dot.']
            : null,
          form.notes.includes('MX') ? ['Null MX', NULL_MX[panel.nullMx]] : null,
          form.notes.includes('dmarc') && panel.dmarcReports
            ? ['DMARC reports', `You’ll find them at ${panel.dmarcReports.screen}`]
            : null,
          panel.minTtl > 0 ? ['Shortest TTL', `${panel.minTtl} seconds`] : null,
        ]}
      />
      <Notes notes={notesFor(panel, form)} />
    </>
  )
}

function fieldFor(name: string, panel: Panel): string {
  return nameField(name, ZONE, panel)
}

function NameToEnter({ text }: { text: string }) {
  return text === '' ? <>Leave it empty.</> : <code>{text}</code>
}

const RECORD_SETS = 'They’re a single entry with several values. Add yours, and keep the others.'

const NULL_MX = {
  accepted: 'Enter priority 0 and a single dot as the server.',
  empty: 'Enter priority 0 and leave the server empty.',
  refused: 'This host doesn’t accept a null MX. Leave it out.',
} as const satisfies Record<Panel['nullMx'], string>

const QUOTES = {
  never: 'Enter it without quotes.',
  always: 'Put it in double quotes.',
  'when-split': 'Enter it without quotes, unless you split it.',
} as const satisfies Record<Panel['quotes'], string>

const SPLIT = {
  automatic: 'If the text is over 255 characters, enter it in one piece.',
  manual:
    'If the text is over 255 characters, split it into parts of at most 255. Put each part in double quotes, with a space between the parts.',
} as const satisfies Record<Panel['split'], string>

function describeText({ quotes, split, maxTxt, formNotes }: Panel, { isLong }: RecordForm): string {
  return [
    QUOTES[quotes],
    // A note about long texts replaces the general rule.
    ...(isLong && formNotes['long-txt'] === undefined ? [SPLIT[split]] : []),
    ...(isLong && maxTxt !== null ? [`It can’t be longer than ${maxTxt} characters.`] : []),
  ].join(' ')
}

function notesFor({ formNotes, lookElsewhere }: Panel, { notes }: RecordForm): string[] {
  const texts = [...notes.map((subject) => formNotes[subject]?.text), lookElsewhere]
  return [...new Set(texts.filter((text) => text !== undefined))]
}

function Notes({ notes }: { notes: readonly string[] }) {
  if (notes.length === 0) return null
  return (
    <ul class="plain">
      {notes.map((note) => (
        <li>{note}</li>
      ))}
    </ul>
  )
}

/** A menu path, with the month in which it was last confirmed. */
export function ScreenPath({ screen }: Pick<DnsHost['panel'], 'screen'>) {
  const { path, confirmed } = screen
  return (
    <>
      <span class="screen-path">{path}</span>
      {confirmed && <small> as of {confirmed}</small>}
    </>
  )
}
