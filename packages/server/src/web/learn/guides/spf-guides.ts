import type { FindingGuide, FindingIdOf } from './finding-guide.js'

export const SPF_GUIDES: Readonly<Record<FindingIdOf<'spf'>, FindingGuide>> = {
  'spf.missing': {
    title: 'No SPF record',
    why: 'Receivers have no list of your servers. They can’t tell a forged message from a real one. Your real mail is also more likely to land in spam.',
    steps: [
      'List every service that sends mail as your domain: mailboxes, newsletters, invoices, web forms.',
      'Write one record: `v=spf1`, the SPF term of each service, then `~all`.',
      'Publish it as a TXT record at the domain itself.',
    ],
    worked: 'The SPF section shows the record and names each of your services.',
    note: 'If the domain sends no mail at all, publish `v=spf1 -all` instead.',
  },
  'spf.near-miss': {
    title: 'A record that looks like SPF is ignored',
    why: 'Receivers read only records that start with exactly `v=spf1` and a space. One wrong character makes them skip the record.',
    steps: [
      'Check that the ignored record names every service that sends for you.',
      'If it is your only SPF record, correct its start to `v=spf1` and one space. Publish it with `~all` first, because no receiver has applied its `-all` so far.',
      'If you have another SPF record, move any missing term into that one. Then delete this one.',
    ],
    worked: 'The SPF section shows one record, and this finding is gone.',
    note: 'Leave a `redirect=` as it is. If the domain sends no mail, publish `v=spf1 -all`.',
  },
  'spf.multiple-records': {
    title: 'More than one SPF record',
    why: 'Receivers that find two SPF records use neither of them. No mail of your domain passes SPF then, and some of it is lost.',
    steps: [
      'Collect the terms of all the SPF records, without `v=spf1` and `all`.',
      'Change one record to `v=spf1`, all these terms, and one `all`. End it in `-all` only if every record did. Otherwise use `~all`.',
      'Delete the other SPF records.',
    ],
    worked: 'The SPF section shows one record with at most 10 lookups.',
    isOftenElsewhere: true,
  },
  'spf.syntax': {
    title: 'A term in the SPF record is invalid',
    why: 'One invalid term breaks the whole record. Receivers then treat it as an error, and none of your mail passes SPF.',
    steps: [
      'Read in the report which term is invalid, and what is wrong with it.',
      'Ask the person who added the term, or the service it belongs to, what was meant.',
      'Correct the term in the record. Remove it if no service needs it.',
    ],
    worked: 'The SPF section shows no invalid term.',
    isOftenElsewhere: true,
  },
  'spf.hidden-characters': {
    title: 'Hidden or special characters in the SPF record',
    why: 'Text copied from a document can carry no-break spaces, tabs or curly quotes. You can’t see them, but they break the record.',
    steps: [
      'Type the record again in a plain text editor, with plain spaces and no quotes.',
      'Replace the old TXT record with the text you typed.',
    ],
    worked: 'The SPF section shows the record, and this finding is gone.',
  },
  'spf.split-without-space': {
    title: 'Two SPF terms run together',
    why: 'A long record is stored in several parts. Receivers join the parts without a space. Two terms that meet there become one broken term.',
    steps: [
      'Open the TXT record at your DNS host, and find where one part ends.',
      'Put a space at the end of that part, inside the quotes, if the next part starts a new term.',
    ],
    worked: 'The SPF section lists both terms separately.',
  },
  'spf.include-without-record': {
    title: 'SPF leads to a name without an SPF record',
    why: 'Receivers that follow the term find nothing. They treat your whole record as broken, so your mail doesn’t pass SPF.',
    steps: [
      'Compare the name after `include:` or `redirect=` with the SPF term that the service documents.',
      'If it is misspelled, correct it.',
      'If the service is gone, remove the term. If you remove a `redirect=`, end the record in `~all`.',
    ],
    worked: 'The SPF section shows a record behind every term.',
    isOftenElsewhere: true,
  },
  'spf.loop': {
    title: 'An SPF record leads back to itself',
    why: 'Receivers follow the loop until they reach the limit of 10 lookups. Then they treat the record as broken.',
    steps: [
      'Read in the report which term leads back, and in which record it is.',
      'Remove that term. Its senders stay allowed, because the record already names them.',
    ],
    worked: 'The SPF section shows at most 10 lookups, and this finding is gone.',
    isOftenElsewhere: true,
  },
  'spf.too-many-lookups': {
    title: 'SPF needs more than 10 lookups',
    why: 'Receivers stop after 10 DNS lookups and treat the record as broken. Mail from some of your services, or from all of them, no longer passes.',
    steps: [
      'Remove the terms of services that no longer send for you. If you’re unsure, look for them in your DMARC reports first.',
      'Replace `a` and `mx` with the `ip4:` and `ip6:` addresses of your own servers.',
      'Let a service with many lookups send from its own subdomain, with an SPF record there.',
    ],
    worked: 'The SPF section shows at most 10 lookups.',
    note: 'Some services need no term in this record. The list of services says which ones.',
  },
  'spf.at-lookup-limit': {
    title: 'SPF uses all 10 lookups',
    why: 'The record works today. It breaks as soon as you add a service, or a service adds one lookup to its own record.',
    steps: [
      'Remove the term of a service that no longer sends for you.',
      'Replace `a` and `mx` with the `ip4:` and `ip6:` addresses of your own servers.',
    ],
    worked: 'The SPF section shows fewer than 10 lookups.',
  },
  'spf.void-lookups': {
    title: 'Too many empty SPF lookups',
    why: 'Some terms lead to names that don’t exist. With more than two empty (void) lookups, receivers stop and treat the record as broken.',
    steps: [
      'Read in the report which terms lead to names without records.',
      'Correct each name that is misspelled, and remove each term whose server is gone.',
      'Replace the other terms in the report with the `ip4:` and `ip6:` addresses of their servers.',
    ],
    worked: 'The SPF section shows at most 2 empty lookups.',
    isOftenElsewhere: true,
  },
  'spf.void-lookups-one-family': {
    title: 'Too many empty SPF lookups for IPv4 or IPv6',
    why: 'Your servers have only one kind of IP address. For mail sent over the other kind, some lookups are empty, and strict receivers stop.',
    steps: [
      'Read in the report which terms have no address of that kind.',
      'Replace each of them with the `ip4:` and `ip6:` addresses that its servers have.',
    ],
    worked: 'The SPF section shows at most 2 empty lookups for both kinds.',
    isOftenElsewhere: true,
  },
  'spf.mx-limit': {
    title: 'An “mx” term names too many mail servers',
    why: 'Receivers look up at most 10 mail servers for one `mx` term. With more, they treat the record as broken.',
    steps: [
      'Ask your mail provider which servers send your mail.',
      'Replace the `mx` term with their `ip4:` and `ip6:` addresses, or with the term of the provider.',
    ],
    worked: 'The SPF section no longer shows this finding.',
    isOftenElsewhere: true,
  },
  'spf.allows-everyone': {
    title: 'Anyone can send as your domain',
    why: 'The record lets every server in the world pass. A forged message then looks real, and no DMARC policy stops it.',
    steps: [
      'If your DMARC policy is quarantine or reject, set it to `p=none` first. Keep the `rua=` address, or add one.',
      'List the services and servers that really send as your domain.',
      'Replace the open term with the terms of these services, and end the record in `~all`.',
      'Restore the DMARC policy when the reports show that all your services pass.',
    ],
    worked: 'The SPF section says that other senders get a soft fail.',
    note: 'Why `p=none` first? A service that you forgot, and that doesn’t sign, passes DMARC today only because of the open term.',
    isOftenElsewhere: true,
  },
  'spf.names-nobody': {
    title: 'SPF allows no server to send',
    why: 'Your domain sends mail, but its SPF record lets no server pass. Your own mail looks forged.',
    steps: [
      'List every service that sends mail as your domain.',
      'Add the SPF term of each service before `all`.',
    ],
    worked: 'The SPF section names each of your services.',
    note: 'If the domain sends no mail, keep exactly `v=spf1 -all` and delete its DKIM keys.',
  },
  'spf.mailbox-provider-missing': {
    title: 'SPF doesn’t name your mailbox provider',
    why: 'Your mail arrives at this provider, so you most likely send from there too. That mail doesn’t pass SPF today.',
    steps: [
      'Ask your users whether they send mail through this provider.',
      'If they do, add the SPF term of the provider to your record, before `all`.',
    ],
    worked: 'The SPF section names the provider.',
    note: 'If no one sends through this provider, no change is needed.',
  },
  'spf.term-matches-nothing': {
    title: 'An SPF term matches no server',
    why: 'The name in the term has no address, so the term does nothing. If it is misspelled, one of your servers is missing.',
    steps: [
      'Check the name in the term for spelling mistakes.',
      'Correct it if it should name one of your servers. Otherwise remove the term.',
    ],
    worked: 'The SPF section no longer shows this finding.',
  },
  'spf.neutral-all': {
    title: 'The SPF record ends in “?all”',
    why: '`?all` says nothing about senders that you don’t name. Forged mail isn’t treated as suspicious.',
    steps: [
      'Check that the record names every service that sends for you.',
      'Change `?all` at its end to `~all`.',
    ],
    worked: 'The SPF section says that other senders get a soft fail.',
    note: 'If the domain sends no mail, end the record in `-all`.',
  },
  'spf.no-all': {
    title: 'The SPF record has no “all”',
    why: 'Without `all`, the record says nothing about senders that you don’t name. That is the same as having no record for them.',
    steps: [
      'Check that the record names every service that sends for you.',
      'Add a space and `~all` at the end of the record.',
    ],
    worked: 'The SPF section says that other senders get a soft fail.',
    note: 'If the domain sends no mail, end the record in `-all`.',
  },
  'spf.softfail-without-dmarc': {
    title: 'SPF ends in “~all”, and nothing enforces it',
    why: 'A soft fail only marks forged mail as suspicious. `~all` is fine once DMARC is enforced, but today it isn’t.',
    steps: [
      'Leave `~all` as it is.',
      'Publish a DMARC record with `p=none` and a `rua=` address if you have none, and read the reports.',
      'Move to `p=quarantine`, and later to `p=reject`, once the reports show that all your mail passes.',
    ],
    worked: 'The DMARC section shows the new policy.',
  },
  'spf.wide-range': {
    title: 'SPF allows a very wide range of addresses',
    why: 'Such a range belongs to many people. Any of them can send mail that passes SPF as your domain.',
    steps: [
      'Look in your DMARC reports for the addresses in this range that send your mail. Ask your hosting company if you have no reports.',
      'Replace the range with these addresses.',
    ],
    worked: 'The SPF section no longer shows this finding.',
    isOftenElsewhere: true,
  },
  'spf.private-address': {
    title: 'SPF names a private address',
    why: 'Private addresses don’t appear on the internet, so the term does nothing. The public address of that server may be missing.',
    steps: [
      'Look up the public IP address that the server sends from. Your network administrator knows it.',
      'Replace the private address in the record with the public one.',
    ],
    worked: 'The SPF section no longer shows this finding.',
    isOftenElsewhere: true,
  },
  'spf.ptr': {
    title: 'SPF uses “ptr”',
    why: '`ptr` makes receivers look up the name of every sender. That is slow and often fails, so large receivers skip it.',
    steps: [
      'Look in your DMARC reports for the servers that pass only because of `ptr`.',
      'Add the `ip4:` and `ip6:` addresses of these servers to the record.',
      'Remove `ptr`.',
    ],
    worked:
      'The SPF section no longer shows this finding, and your mail still passes in the reports.',
    isOftenElsewhere: true,
  },
  'spf.duplicate-include': {
    title: 'The same service is in SPF twice',
    why: 'Each copy costs its lookups again and allows no more servers. You have only 10 lookups.',
    steps: ['Keep the `include:` once in the record.', 'Delete the other copies.'],
    worked: 'The SPF section shows fewer lookups.',
  },
  'spf.long-record': {
    title: 'The SPF record is very long',
    why: 'A long record may not fit into one DNS answer. Where larger answers are blocked, receivers don’t find it.',
    steps: [
      'Remove the terms of services that no longer send for you.',
      'Combine `ip4:` and `ip6:` addresses into ranges where you own the whole range.',
      'If it is still too long, move a group of terms into a second record below your domain, and include that one.',
    ],
    worked: 'The record has at most 450 characters.',
  },
  'spf.terms-after-all': {
    title: 'Terms after “all” are never read',
    why: '`all` matches every sender, so receivers stop there. A service that you name after it isn’t allowed to send.',
    steps: [
      'Move each term of a service that sends for you to a place before `all`.',
      'Delete the other terms after `all`.',
    ],
    worked: '`all` is the last term in the SPF section.',
  },
  'spf.redirect-ignored': {
    title: 'The SPF redirect is ignored',
    why: 'Receivers ignore `redirect=` in a record that has `all`. Senders that only the other record names don’t pass.',
    steps: [
      'Decide whether the senders in the other record may send as your domain.',
      'If they may, replace `redirect=` with `include:` and the same name, before `all`.',
      'If they may not, delete the `redirect=`.',
    ],
    worked: 'The SPF section no longer shows this finding.',
  },
  'spf.ignored-term': {
    title: 'An SPF term is ignored',
    why: 'The term has an equals sign where a colon belongs. Receivers skip it, so that sender isn’t allowed.',
    steps: [
      'Check that the service in this term really sends for you.',
      'Change the `=` in the term to `:`, for example `include:` instead of `include=`.',
    ],
    worked: 'The SPF section lists the sender.',
  },
  'spf.unaligned-include': {
    title: 'An SPF term that can’t help this service',
    why: 'The service uses its own bounce address, so receivers check SPF there. The term in your record only costs lookups.',
    steps: [
      'Set up DKIM for your domain at the service.',
      'Send yourself a message from the service. It must show that DKIM passes for your domain.',
      'Remove the term from your SPF record.',
    ],
    worked: 'The SPF section shows fewer lookups.',
  },
  'spf.depends-on-sender': {
    title: 'Part of SPF depends on the sender',
    why: 'The term has macros, which change with each message. We can’t read that part in advance, so the real number of lookups may be higher.',
    steps: [
      'Ask the service behind the term whether it stays within 10 lookups in total.',
      'If it does, leave the record as it is.',
    ],
    worked: 'This finding stays, and that is fine.',
  },
  'spf.lookup-unavailable': {
    title: 'Part of SPF couldn’t be looked up',
    why: 'DNS gave no usable answer for a name that your record leads to. We don’t count that against you. Receivers with the same problem may delay your mail.',
    steps: [
      'Wait a few minutes, and check the domain again.',
      'If it still fails, tell the operator of the name in the report.',
    ],
    worked: 'The SPF section shows every record.',
    note: 'If the report says that there is too much data, remove records that you no longer need.',
    needsNoChange: true,
  },
  'spf.type-99': {
    title: 'Leftover record of the old type SPF',
    why: 'Receivers read only TXT records. The old record does no harm, but you could edit it by mistake.',
    steps: [
      'Check that your SPF record is also published as a TXT record. If it isn’t, publish it.',
      'Delete the record of the type SPF.',
    ],
    worked: 'This finding is gone, and the SPF section shows the TXT record.',
  },
}
