import type { FindingIdOf, PlacedFindingGuide } from './finding-guide.js'

export const TRANSPORT_GUIDES: Readonly<Record<FindingIdOf<'transport'>, PlacedFindingGuide>> = {
  'transport.mta-sts-invalid': {
    mechanism: 'mta-sts',
    title: 'The MTA-STS record can’t be used',
    why: 'Senders ignore a record with an error. A valid record puts the policy file into effect, and an outdated file can stop mail to you.',
    steps: [
      'Open `https://mta-sts.example.com/.well-known/mta-sts.txt` in a browser, with your own domain. If there is no file, delete the record and stop here.',
      'Check that the file lists every mail server in your MX records. Set `mode: testing` in the file.',
      'Publish exactly one TXT record at `_mta-sts` below your domain, with a new id, such as `v=STSv1; id=20260101`.',
    ],
    worked:
      'The transport section shows the record as valid. If you deleted it, this finding is gone.',
  },
  'transport.tls-rpt-invalid': {
    mechanism: 'tls-rpt',
    title: 'The TLS-RPT record can’t be used',
    why: 'Senders ignore a record with an error. You then get no reports when encryption fails.',
    steps: [
      'Read in the report what is wrong with the record.',
      'Publish exactly one TXT record at `_smtp._tls` below your domain, such as `v=TLSRPTv1; rua=mailto:tls@example.com`, with your own address.',
    ],
    worked: 'The transport section shows the record as valid.',
  },
  'transport.bimi-invalid': {
    mechanism: 'bimi',
    title: 'The BIMI record can’t be used',
    why: 'Mail programs ignore a record with an error, so they show no logo. It doesn’t affect the delivery of your mail.',
    steps: [
      'Read in the report what is wrong with the record.',
      'Publish exactly one TXT record at `default._bimi` below your domain. The addresses in `l=` and `a=` must start with `https://`.',
    ],
    worked: 'The transport section shows the record as valid.',
  },
  'transport.bimi-without-enforcement': {
    mechanism: 'bimi',
    title: 'No logo is shown yet',
    why: 'Mail programs show a logo only for domains whose DMARC policy stops forged mail. Yours doesn’t do that yet.',
    steps: [
      'Keep the BIMI record.',
      'Read your DMARC reports until all your mail passes.',
      'Then move DMARC to `p=quarantine` without a `pct=` tag.',
    ],
    worked: 'The DMARC section shows an enforced policy, and this finding is gone.',
  },
  'transport.mta-sts-policy-not-checked': {
    mechanism: 'mta-sts',
    title: 'Check the MTA-STS policy file yourself',
    why: 'MTA-STS has a record and a file on a web server. We read only DNS, so we didn’t look at the file.',
    steps: [
      'Open `https://mta-sts.example.com/.well-known/mta-sts.txt` in a browser, with your own domain.',
      'Check that it opens without a certificate warning.',
      'Check that it lists all mail servers in your MX records.',
    ],
    worked: 'This finding stays, and that is fine once the file is right.',
    needsNoChange: true,
  },
  'transport.lookup-unavailable': {
    mechanism: 'mta-sts',
    title: 'Some transport records couldn’t be looked up',
    why: 'DNS didn’t answer. What is published there is unknown, and we don’t count it against you.',
    steps: [
      'Wait a few minutes, and check the domain again.',
      'If it still fails, check with your DNS host that the name servers of the domain work.',
    ],
    worked: 'The transport section shows every record.',
    needsNoChange: true,
  },
}
