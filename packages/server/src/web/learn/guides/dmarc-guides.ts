import type { FindingGuide, FindingIdOf } from './finding-guide.js'

const STRICTER_LATER =
  'Go back to a stricter policy when the reports show that all your mail passes.'

const HAS_REPORTS =
  'Check that the record has a `rua=` address that you read. If it has none, add one first.'

const PASSED_FOR_A_MONTH =
  'Read the reports for at least a month. All your services must pass with DKIM, and none of your mail may be lost.'

const ADD_BACK_LATER =
  'Add `adkim=`, `aspf=`, `sp=` or `np=` back only after you checked in the reports that your mail passes with it.'

export const DMARC_GUIDES: Readonly<Record<FindingIdOf<'dmarc'>, FindingGuide>> = {
  'dmarc.missing': {
    title: 'No DMARC policy',
    why: 'Receivers have no instructions for mail that forges your domain, so much of it is delivered.',
    steps: [
      'Create a mailbox for the reports, such as `dmarc@example.com` at your own domain.',
      'Publish a TXT record at `_dmarc` below your domain: `v=DMARC1; p=none; rua=mailto:dmarc@example.com`, with your own address.',
      'Read the reports for a month. When all your mail passes, move to `p=quarantine`, and later to `p=reject`.',
    ],
    worked: 'The DMARC section shows the record. The first reports arrive within two days.',
    note: 'If the domain and all names below it send no mail, publish `v=DMARC1; p=reject` instead.',
  },
  'dmarc.policy-none': {
    title: 'The policy is “none”: forged mail is delivered',
    why: 'With `p=none`, receivers may send you reports, but they deliver forged mail as usual. This is a good start and no protection.',
    steps: [
      'Check that reports arrive: the record needs a `rua=` address that you read.',
      'Fix each of your own services that fails in the reports.',
      'When all your mail has passed for a month, change `p=none` to `p=quarantine`.',
    ],
    worked: 'The DMARC section shows the policy quarantine.',
    note: 'Move on to `p=reject` after at least another month without lost mail, when all your services pass with DKIM.',
  },
  'dmarc.policy-quarantine': {
    title: 'Forged mail goes to spam instead of being rejected',
    why: 'People can still find forged mail in their spam folder and believe it. With `p=reject` it never arrives.',
    steps: [
      'Check in the reports that all your services pass with DKIM. SPF alone breaks when mail is forwarded.',
      'Ask staff and customers whether mail has gone missing in the last month.',
      'If all is well, change `p=quarantine` to `p=reject`.',
    ],
    worked: 'The DMARC section shows the policy reject.',
    note: 'Do people at your domain write to mailing lists? Then it is fine to stay at `p=quarantine`.',
  },
  'dmarc.testing': {
    title: 'The policy is in test mode',
    why: 'With `t=y`, receivers apply the next weaker policy. Older receivers ignore the tag and apply the policy in full.',
    steps: [HAS_REPORTS, PASSED_FOR_A_MONTH, 'Remove `t=y` from the record.'],
    worked: 'The DMARC section shows the policy without test mode.',
  },
  'dmarc.partial': {
    title: 'The policy covers only part of the mail',
    why: 'The old tag `pct=` makes older receivers apply the policy to a share of forged mail. Newer receivers ignore the tag.',
    steps: [HAS_REPORTS, PASSED_FOR_A_MONTH, 'Remove the `pct=` tag from the record.'],
    worked: 'The DMARC section shows the policy for all mail.',
  },
  'dmarc.subdomains-open': {
    title: 'Subdomains aren’t protected',
    why: 'Your domain is protected, but its subdomains have the policy none. A forger only has to invent a subdomain.',
    steps: [
      'Look in the reports for subdomains that send your mail.',
      'Make sure that this mail passes with SPF or DKIM.',
      'Change `sp=none` to `sp=quarantine`.',
    ],
    worked: 'The DMARC section shows quarantine for subdomains.',
    note: 'A few weeks later, remove the `sp=` tag. Subdomains then have the policy of the domain. If the record belongs to the domain above yours, the change covers all its subdomains.',
  },
  'dmarc.subdomains-weaker': {
    title: 'Subdomains have a weaker policy',
    why: 'Forgers use the weakest name. Mail that forges a subdomain is treated more mildly than mail that forges your domain.',
    steps: [
      'Check in the reports that your mail from subdomains passes.',
      'Remove the `sp=` tag. Subdomains then have the policy of the domain.',
    ],
    worked: 'The DMARC section shows the same policy for subdomains.',
    note: 'If the record belongs to the domain above yours, its owner has to make this change.',
  },
  'dmarc.nonexistent-weaker': {
    title: 'Invented subdomains have a weaker policy',
    why: 'No real mail comes from a name that doesn’t exist. All of it can be rejected, but your record asks for less.',
    steps: [
      'Look in the reports for subdomains that send your mail. Each of them must have a record in DNS.',
      'Change the `np=` tag to `np=reject`.',
    ],
    worked: 'The DMARC section shows reject for names that don’t exist.',
  },
  'dmarc.subdomain-tags-ignored': {
    title: 'Tags for subdomains have no effect here',
    why: 'Receivers read `sp=` and `np=` only in the record of the main domain. In this record they do nothing, so subdomains may be less protected than you think.',
    steps: [
      'Look at the policy for subdomains in the record of the main domain. The report names it.',
      'If a subdomain needs another policy, publish a record for that subdomain.',
      'Remove `sp=` and `np=` from this record.',
    ],
    worked: 'This finding is gone.',
  },
  'dmarc.multiple-records': {
    title: 'More than one DMARC record',
    why: 'Receivers can’t tell which record you mean, so they ignore all of them. No policy protects your domain.',
    steps: [
      'Choose the record to keep. Take the one with the mildest policy, unless your reports already show that all your mail passes.',
      'Add the `rua=` address of the other records to it if it has none.',
      'Delete the other records.',
    ],
    worked: 'The DMARC section shows one record.',
  },
  'dmarc.near-miss': {
    title: 'A record that looks like DMARC is ignored',
    why: 'A DMARC record starts with exactly `v=DMARC1`, and a semicolon follows. Receivers skip anything else.',
    steps: [
      'If the DMARC section shows a policy, another record applies. Then only delete this one.',
      'Otherwise replace it with a record that starts with `v=DMARC1; p=none;` and keeps your `rua=` address.',
      STRICTER_LATER,
    ],
    worked: 'The DMARC section shows the record.',
    note: 'Start with `p=none`, because no receiver has applied this record so far.',
  },
  'dmarc.record-at-domain': {
    title: 'The DMARC record is at the wrong name',
    why: 'Receivers look only at the name `_dmarc` below your domain. They never see a record at the domain itself.',
    steps: [
      'If the DMARC section shows no policy, publish the record at `_dmarc` below your domain, with `p=none` at first.',
      'Delete the record at the domain itself.',
      STRICTER_LATER,
    ],
    worked: 'The DMARC section shows the record.',
  },
  'dmarc.unused-record-at-domain': {
    title: 'A second DMARC record at the wrong name',
    why: 'The record at `_dmarc` counts. The other one does nothing, but you could edit it by mistake.',
    steps: [
      'Compare the two records. Keep the one at `_dmarc` as it is.',
      'Delete the record at the domain itself.',
    ],
    worked: 'This finding is gone, and the DMARC section shows the same policy as before.',
  },
  'dmarc.record-at-doubled-name': {
    title: 'The DMARC record has the domain in its name twice',
    why: 'Your DNS host adds the domain to every name. The record ended up at a name where no receiver looks.',
    steps: [
      'If the DMARC section shows no policy, add the record again with `p=none`. Enter the name as your DNS host expects it, often only `_dmarc`.',
      'Delete the record with the doubled name.',
      STRICTER_LATER,
    ],
    worked: 'The DMARC section shows the record.',
  },
  'dmarc.bad-tags': {
    title: 'Errors in the DMARC record',
    why: 'Receivers ignore the parts they can’t read and use the default. Strict ones ignore the whole record.',
    steps: [
      'Read in the report which tags are wrong.',
      'Remove these tags, but correct a wrong `rua=`. If `p=` itself was wrong, publish `p=none` first.',
      ADD_BACK_LATER,
      STRICTER_LATER,
    ],
    worked: 'The DMARC section shows the record without errors.',
    note: 'For example, `adkim=strict` never had an effect. Corrected to `adkim=s`, it can stop mail that a subdomain signs.',
  },
  'dmarc.unknown-tags': {
    title: 'An unknown tag in the DMARC record',
    why: 'Receivers ignore tags they don’t know. That is harmless, unless you misspelled a tag that matters.',
    steps: [
      'Compare the tag in the report with the tags on our DMARC page.',
      'Remove the tag. If it was meant as `rua=`, correct its spelling instead.',
      ADD_BACK_LATER,
    ],
    worked: 'This finding is gone.',
    note: 'For example, `adkm=s` never had an effect. Corrected to `adkim=s`, it can stop mail that a subdomain signs.',
  },
  'dmarc.obsolete-tags': {
    title: 'Old parts in the DMARC record',
    why: 'The standard of 2026 removed these parts, and current receivers ignore them. They do no harm.',
    steps: [
      'Leave the record until you change it for another reason.',
      'Then remove the parts that the report names.',
    ],
    worked: 'This finding is gone.',
  },
  'dmarc.cname': {
    title: 'Another company hosts your DMARC record',
    why: 'The name `_dmarc` is a CNAME. The owner of its target decides what happens to forged mail, and who gets the reports.',
    steps: [
      'Check that you know this company and want it to manage your policy. Then nothing has to change.',
      'If you don’t, replace the CNAME with your own TXT record that has the same policy.',
    ],
    worked: 'The DMARC section shows the policy you expect.',
  },
  'dmarc.dangling-cname': {
    title: 'The DMARC name leads nowhere',
    why: 'The name `_dmarc` is a CNAME to a name without a record. Anyone who gets hold of that name can set your policy and read your reports.',
    steps: [
      'Delete the CNAME at `_dmarc`.',
      'If the DMARC section shows no policy, publish your own TXT record there: `p=none` and a `rua=` address at first.',
    ],
    worked: 'The DMARC section shows a policy, and this finding is gone.',
    note: 'If the domain and all names below it send no mail, publish `v=DMARC1; p=reject` instead.',
  },
  'dmarc.no-reports': {
    title: 'No reports arrive',
    why: 'Reports show who sends as your domain, and which of your own mail fails. Without them you can’t make the policy stricter safely.',
    steps: [
      'Create a mailbox for the reports, such as `dmarc@example.com` at your own domain.',
      'Set `rua=mailto:` and this address in the record. Leave the other tags as they are.',
    ],
    worked: 'The DMARC section shows the address. The first reports arrive within two days.',
    note: 'Reports are XML files. A DMARC report reader makes them readable.',
  },
  'dmarc.report-not-authorized': {
    title: 'The report address belongs to someone who didn’t agree',
    why: 'Reports go to another company only if it agrees in DNS. It hasn’t, so receivers send it none.',
    steps: [
      'Ask that company to publish the TXT record that the report names, with the value `v=DMARC1`.',
      'If it doesn’t, put an address at your own domain in `rua=` instead.',
    ],
    worked: 'The DMARC section shows that reports can arrive.',
  },
  'dmarc.report-target-without-mx': {
    title: 'Reports go to a domain that gets no mail',
    why: 'The domain in the report address has no mail server, so the reports are lost. A new owner of that domain could read them.',
    steps: [
      'Choose an address that receives mail, best at your own domain.',
      'Replace the old address in the `rua=` or `ruf=` tag.',
    ],
    worked: 'The DMARC section shows that reports can arrive.',
  },
  'dmarc.report-destination-unavailable': {
    title: 'We couldn’t check where reports go',
    why: 'DNS didn’t answer for the domain of the report address. We don’t count that against you.',
    steps: [
      'Wait a few minutes, and check the domain again.',
      'If it still fails, tell the operator of that domain.',
    ],
    worked: 'The DMARC section shows whether reports can arrive.',
    needsNoChange: true,
  },
  'dmarc.too-many-destinations': {
    title: 'Too many report addresses',
    why: 'Receivers need not send reports to more than two addresses. The others may get nothing.',
    steps: [
      'Keep one or two addresses in `rua=`.',
      'Forward the reports from there to everyone else who needs them.',
    ],
    worked: 'The DMARC section shows one or two addresses.',
  },
  'dmarc.old-receivers-differ': {
    title: 'Older receivers find another policy',
    why: 'The standard changed in 2026. Older receivers look for your policy in another place, so your mail is treated in two ways.',
    steps: [
      'Read in the report which record older receivers use, and which policy it has.',
      'If the proposed record is stricter than today’s, check in your reports that all your mail passes.',
      'Publish the record that the report proposes.',
    ],
    worked: 'This finding is gone.',
  },
  'dmarc.public-suffix-policy': {
    title: 'The policy comes from the registry',
    why: 'Your domain has no record, so the one of the registry above it applies. It can change without notice, and you get no reports.',
    steps: [
      'Create a mailbox for the reports, such as `dmarc@example.com` at your own domain.',
      'Publish your own record at `_dmarc`, with the policy that applies today and a `rua=` address.',
    ],
    worked: 'The DMARC section shows your own record.',
  },
  'dmarc.reject-without-dkim': {
    title: 'Your forwarded mail is rejected',
    why: 'Your policy is reject, and your mail isn’t signed with DKIM. SPF breaks when someone forwards a message, so that message is rejected.',
    steps: [
      'Change `p=reject` to `p=quarantine` until your mail is signed. It loses less of your mail.',
      'Set up DKIM at every service that sends for you.',
      'Go back to `p=reject` when the reports show that all your mail passes with DKIM.',
    ],
    worked: 'The DKIM section shows a key, and this finding is gone.',
  },
}
