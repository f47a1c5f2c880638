/** MX: where the domain’s mail goes. */
import { describeAddresses, type MxReport, PROVIDER_KIND_LABELS } from '@mailgrade/core'
import { CheckSection } from './check-section.js'

export function MxSection({ report }: { report: MxReport }) {
  const { status, records, nullMx, implicitMx, provider } = report
  return (
    <CheckSection
      id="mx"
      title="MX: where mail goes"
      about="Mail exchanger: the servers that receive mail for the domain."
      status={status}
    >
      {provider && (
        <p>
          {PROVIDER_KIND_LABELS[provider.kind]}: {provider.name}
        </p>
      )}
      {nullMx && <p>Null MX: the domain declares that it accepts no mail.</p>}
      {implicitMx && (
        <p>There is no MX record, so mail goes to the address of the domain itself.</p>
      )}
      {records.length === 0 && !implicitMx && <p>There is no mail server.</p>}
      {!nullMx && records.length > 0 && <MxServerTable records={records} />}
    </CheckSection>
  )
}

export function MxServerTable({ records }: Pick<MxReport, 'records'>) {
  return (
    <table class="servers">
      <thead>
        <tr>
          <th scope="col">Preference</th>
          <th scope="col">Server</th>
          <th scope="col">Addresses</th>
        </tr>
      </thead>
      <tbody>
        {records.map(({ preference, exchange, addresses }) => (
          <tr>
            <td>{preference}</td>
            <td>
              <code>{exchange}</code>
            </td>
            <td>{describeAddresses(addresses)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
