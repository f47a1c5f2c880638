import type { FindingIdOf, PlacedFindingGuide } from './finding-guide.js'

const PASSES =
  'Send yourself a message from each service and view its source. SPF or DKIM must show `pass` with your domain.'

export const PLAN_GUIDES: Readonly<Record<FindingIdOf<'plan'>, PlacedFindingGuide>> = {
  'plan.senders-to-move': {
    mechanism: 'spf',
    title: 'Not all services fit into SPF',
    why: 'Receivers stop after 10 lookups. A service without room in the record passes only with DKIM.',
    steps: [
      'Set up DKIM at the services that the plan names. Signed mail passes DMARC without SPF.',
      'Let a service that can’t sign send from its own subdomain, with an SPF record there.',
      'Get a new plan. List services that you no longer use under “Services that no longer send for you”.',
    ],
    worked: `The new plan has room for every service. ${PASSES}`,
  },
  'plan.spf-too-full': {
    mechanism: 'spf',
    title: 'SPF has too many lookups, and no shorter record is safe',
    why: 'Every record within the limit would take away the pass from a service that has it today. So the plan leaves your record as it is.',
    steps: [
      'Set up DKIM at a service that needs many lookups, or move it to its own subdomain.',
      'Check that its mail passes without SPF. Then remove its term.',
      'Get a new plan. List services that you no longer use under “Services that no longer send for you”.',
    ],
    worked: `The new plan has an SPF record with at most 10 lookups. ${PASSES}`,
  },
  'plan.include-faulty': {
    mechanism: 'spf',
    title: 'The SPF record of another service is broken',
    why: 'Your record needs this service, but the record of the service has an error. Only the service can repair it.',
    steps: [
      'Send the error in the plan to the service, and ask it to repair its SPF record.',
      'Keep the term until then. Some of its servers still pass today.',
    ],
    worked: 'The SPF section of the free check shows no error at this service.',
  },
  'plan.mail-at-risk': {
    mechanism: 'dkim',
    title: 'Your own mail may be lost today',
    why: 'Your DMARC policy is enforced, and we found no key that signs your mail. Mail that someone forwards is rejected or goes to spam.',
    steps: [
      'Today, do the steps whose titles begin with “Urgent” in the plan. If there are none, set up DKIM where your mail is sent.',
      'Until they are done, ask people to tell you about missing mail, and to look into their spam folder.',
    ],
    worked: PASSES,
  },
  'plan.sender-at-risk': {
    mechanism: 'dkim',
    title: 'Mail from one of your services may be lost today',
    why: 'Your DMARC policy is enforced. Mail from this service passes only with DKIM, and it has no key yet.',
    steps: [
      'Check whether you still use the service that the plan names.',
      'If you do, do the plan’s steps for it today.',
    ],
    worked: PASSES,
  },
  'plan.reject-not-reached': {
    mechanism: 'dmarc',
    title: 'The plan stops before “reject”',
    why: 'Some of your mail isn’t signed. Under `p=reject` it would be lost as soon as someone forwards it.',
    steps: [
      'Ask the service that the plan names how to sign mail as your domain.',
      'Set up DKIM there.',
      'Get a new plan.',
    ],
    worked: `The last stage of the new plan is reject. ${PASSES}`,
  },
  'plan.strict-alignment': {
    mechanism: 'dmarc',
    title: 'DMARC demands exactly the same domain',
    why: 'With `adkim=s` or `aspf=s`, mail that a subdomain signs or sends fails DMARC. Most newsletter services work that way.',
    steps: [
      'Ask the person who set these tags whether you need them. Few domains do.',
      'If you don’t, remove `adkim=s` and `aspf=s` from the record.',
    ],
    worked: 'The DMARC section of the free check shows relaxed alignment.',
  },
  'plan.public-suffix-tag': {
    mechanism: 'dmarc',
    title: 'DMARC calls your domain a public suffix',
    why: 'With `psd=y`, receivers take every subdomain for another company. Mail that a subdomain signs for you fails DMARC.',
    steps: [
      'Check whether other people can register names below your domain. Only a registry offers that.',
      'If they can’t, remove `psd=y` before you make the policy stricter.',
    ],
    worked: 'The DMARC section of the free check shows the record without `psd=y`.',
    note: 'Without the tag, your policy also covers subdomains. Check first that their mail passes.',
  },
  'plan.senders-below': {
    mechanism: 'dmarc',
    title: 'A subdomain sends mail',
    why: 'Your domain itself sends nothing, but a subdomain does. The DMARC policy covers both, so the plan tightens it in stages.',
    steps: [
      'Look for the subdomain in the DMARC reports of the first stage.',
      'Check that its mail passes with SPF or DKIM.',
      'Only then go on to the next stage of the plan.',
    ],
    worked: 'For a week, the reports show none of your mail failing.',
  },
  'plan.proxied-record': {
    mechanism: 'dkim',
    title: 'A proxy hides a DKIM record',
    why: 'Your DNS host answers with the addresses of its proxy instead of the CNAME. Receivers don’t find the key.',
    steps: [
      'Open the CNAME records that the plan names at your DNS host.',
      'Switch each of them from proxied to DNS only.',
    ],
    worked: 'The DKIM section of the free check shows the key of this selector.',
  },
  'plan.ptr-kept': {
    mechanism: 'spf',
    title: 'SPF still has “ptr”',
    why: '`ptr` is slow, and receivers may ignore it. DNS doesn’t show which servers rely on it, so the plan leaves it there.',
    steps: [
      'Look in your DMARC reports for the servers that pass because of `ptr`.',
      'Add their `ip4:` and `ip6:` addresses to the record.',
      'Remove `ptr`.',
    ],
    worked:
      'The SPF section of the free check shows no `ptr`. The reports show that your mail still passes.',
  },
  'plan.terms-left-out': {
    mechanism: 'spf',
    title: 'Some SPF terms are left out',
    why: 'Receivers can’t use these terms, or the terms let everyone in. If one was meant for a real service, that service is missing.',
    steps: [
      'Ask the person who added each term which server or service was meant.',
      'If it still sends for you, add its correct term before `all`.',
    ],
    worked: 'The SPF section of the free check names each of your services.',
  },
  'plan.selector-taken': {
    mechanism: 'dkim',
    title: 'Two services want the same selector',
    why: 'A name holds one key. The second service can’t put its key where the first one has it.',
    steps: [
      'Choose another selector at the service that the plan names.',
      'Publish the record that the service then shows.',
    ],
    worked: 'The DKIM section of the free check shows the keys of both services.',
  },
  'plan.several-mailbox-providers': {
    mechanism: 'mx',
    title: 'Mail goes to more than one mailbox provider',
    why: 'Senders may use any of your mail servers. A message can arrive where no one reads it.',
    steps: [
      'Check whether all these providers are in use.',
      'If you have moved, save the mail that is left at the old provider.',
      'Delete the MX records of the old provider, and its term in the SPF record.',
    ],
    worked:
      'The MX section of the free check shows one provider. A message to your domain arrives there.',
  },
  'plan.unused-receives-mail': {
    mechanism: 'mx',
    title: 'Mail still goes to a provider you left',
    why: 'You said that you no longer use this provider, but your MX records still lead there. New mail arrives where no one reads it.',
    steps: [
      'Copy the MX records from your new mailbox provider, and publish them.',
      'Delete the MX records of the old provider.',
      'Get a new plan with the new provider under “Services that send for you”.',
    ],
    worked:
      'The MX section of the free check shows the new provider. A message to your domain arrives there.',
  },
  'plan.mailboxes-cannot-send': {
    mechanism: 'spf',
    title: 'Your mailboxes aren’t allowed to send',
    why: 'Your domain has mailboxes, but its SPF record allows no server to send. Mail from them may be refused.',
    steps: [
      'Ask your users whether they send mail from these mailboxes.',
      'If they do, get a new plan with the provider under “Services that send for you”.',
    ],
    worked: 'The SPF section of the free check names the provider.',
    note: 'If no one sends, nothing has to change.',
  },
  'plan.sender-setting': {
    mechanism: 'spf',
    title: 'A service needs a changed setting',
    why: 'The service doesn’t sign with DKIM. Its mail passes DMARC only if it sends with your domain as the bounce address.',
    steps: [
      'Open the screen of the service that the plan names.',
      'Change the setting that the plan names, and save.',
    ],
    worked:
      'Send yourself a message from the service and view its source. SPF must show `pass` with your domain.',
  },
  'plan.mailboxes-unseen': {
    mechanism: 'mx',
    title: 'A gateway hides your mailbox provider',
    why: 'Your MX records name only the filter in front of your mailboxes. The plan can’t see who runs the mailboxes, so it may miss their records.',
    steps: [
      'Look up who runs your mailboxes, for example on the invoice.',
      'Get a new plan with that provider under “Services that send for you”.',
    ],
    worked: 'The new plan names the provider, and this finding is gone.',
  },
  'plan.several-dns-hosts': {
    mechanism: 'dmarc',
    title: 'More than one host answers for your domain',
    why: 'Each host answers some of the queries. A record at only one of them is seen only some of the time.',
    steps: [
      'Check whether one host copies the records from the other. Then change only the one it copies from.',
      'If neither copies, publish every record at both.',
    ],
    worked: 'Check the domain several times in an hour. The result is always the same.',
  },
  'plan.domain-is-alias': {
    mechanism: 'spf',
    title: 'The domain is an alias of another name',
    why: 'No other record can be at a name that is a CNAME. Receivers read the SPF and MX records of the other name.',
    steps: [
      'Look up the MX and TXT records of the other name. Your domain uses them today, and loses them with the CNAME.',
      'Ask your web host which A and AAAA addresses the website has.',
      'Replace the CNAME with these addresses. In the same change, publish copies of the MX and TXT records at the domain.',
      'Get a new plan.',
    ],
    worked:
      'The new plan has SPF and MX records, your website still opens, and a message to your domain arrives.',
    note: 'If you also run the other name, you can publish the SPF and MX records there instead.',
  },
  'plan.delegated-names': {
    mechanism: 'dmarc',
    title: 'Another service runs some of your records',
    why: 'The names `_dmarc` or `_domainkey` are handed to other name servers. Records that you add at your DNS host have no effect there.',
    steps: [
      'Look up which service runs these names. It is often one that manages DMARC or DKIM for you.',
      'Make the changes to these records at that service.',
    ],
    worked: 'The free check shows the changed records.',
  },
  'plan.name-too-long': {
    mechanism: 'dmarc',
    title: 'The domain name is too long',
    why: 'A name in DNS has at most 253 characters. Records below your domain would be longer, so they can’t exist.',
    steps: [
      'Choose a shorter name to send mail from.',
      'Set up SPF, DKIM and DMARC for that name.',
    ],
    worked: 'The free check of the shorter name shows all three.',
  },
  'plan.no-sender-seen': {
    mechanism: 'dmarc',
    title: 'The plan blocks all mail of this domain',
    why: 'DNS shows no sign that the domain sends mail, so the plan locks it. If something does send, its mail is rejected from the first day.',
    steps: [
      'Before you publish anything, check that no web form, device or service sends as this domain.',
      'If one does, get a new plan with it under “Services that send for you”.',
      'If none does, follow the plan.',
    ],
    worked: 'The free check shows that the domain sends no mail.',
  },
  'plan.null-mx-refused': {
    mechanism: 'mx',
    title: 'Your host doesn’t accept a null MX',
    why: 'A null MX says that a domain takes no mail. Your DNS host can’t store one, so the plan leaves it out. The domain is protected without it.',
    steps: [
      'Publish the other records of the plan.',
      'Leave out the null MX. Mail to the domain fails later instead of at once.',
    ],
    worked: 'The free check shows SPF with `-all` and DMARC with `p=reject`.',
  },
  'plan.txt-too-long': {
    mechanism: 'dkim',
    title: 'A record is too long for your host',
    why: 'Your DNS host limits the length of a TXT record. A longer one is refused or cut, and then it doesn’t work.',
    steps: [
      'If it is a DKIM key, create a new one of 2048 bits, or use the CNAME records of the service.',
      'If it is the SPF record, remove the terms of services that you no longer use.',
      'If neither helps, move the domain’s DNS to a host that accepts longer records.',
    ],
    worked: 'The free check shows the whole record.',
    note: 'Does the domain have DNSSEC? Then remove the DS record and wait a day before you change the host. Otherwise no one can reach the domain.',
  },
}
