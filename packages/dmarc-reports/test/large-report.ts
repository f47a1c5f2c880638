/** Reports of any size, made while they are read. */

const HEAD = `<?xml version="1.0" encoding="UTF-8" ?>
<feedback>
  <report_metadata>
    <org_name>large.example.net</org_name>
    <email>dmarc@large.example.net</email>
    <report_id>large-1</report_id>
    <date_range><begin>1792368000</begin><end>1792454399</end></date_range>
  </report_metadata>
  <policy_published><domain>example.com</domain><p>none</p></policy_published>
`
const TAIL = '</feedback>\n'
const RECORDS_PER_CHUNK = 100

/** Each source has another network and signs with another domain. */
function record(index: number): string {
  const ip = `2001:db8:${(index >> 16).toString(16)}:${(index & 0xffff).toString(16)}::1`
  return `  <record>
    <row>
      <source_ip>${ip}</source_ip>
      <count>2</count>
      <policy_evaluated><disposition>none</disposition><dkim>fail</dkim><spf>fail</spf></policy_evaluated>
    </row>
    <identifiers><header_from>h${index}.example.com</header_from></identifiers>
    <auth_results>
      <dkim><domain>d${index}.test</domain><result>pass</result><selector>s${index}</selector></dkim>
      <spf><domain>d${index}.test</domain><result>pass</result></spf>
    </auth_results>
  </record>
`
}

export async function* largeReport(records: number, sources = records): AsyncGenerator<Uint8Array> {
  yield Buffer.from(HEAD)
  for (let index = 0; index < records; index += RECORDS_PER_CHUNK) {
    const last = Math.min(records, index + RECORDS_PER_CHUNK)
    const chunk = Array.from({ length: last - index }, (_, offset) =>
      record((index + offset) % sources),
    )
    yield Buffer.from(chunk.join(''))
  }
  yield Buffer.from(TAIL)
}
