import type { FindingGuide, FindingIdOf } from './finding-guide.js'

const NULL_MX =
  'If the domain neither sends nor receives mail, publish a null MX instead. It has the priority `0` and a single dot as the server.'

export const MX_GUIDES: Readonly<Record<FindingIdOf<'mx'>, FindingGuide>> = {
  'mx.missing': {
    title: 'No mail server',
    why: 'Mail to your domain can’t be delivered. Senders try for days before they give up and send an error.',
    steps: [
      'Open the instructions of your mailbox provider, and copy its MX records.',
      'Publish these records at the domain itself.',
    ],
    worked: 'The MX section shows the mail servers. A message to your domain arrives.',
    note: NULL_MX,
  },
  'mx.implicit': {
    title: 'No MX record: mail goes to your website’s server',
    why: 'Without an MX record, senders deliver to the address of the domain itself. That is often a web server that takes no mail.',
    steps: [
      'Check whether anyone receives mail at this domain, and where.',
      'If mail arrives at the domain’s own server today, name that server in the MX record.',
      'Otherwise publish the MX records of your mailbox provider at the domain itself.',
    ],
    worked: 'The MX section shows the mail servers. A message to your domain arrives.',
    note: NULL_MX,
  },
  'mx.null-and-others': {
    title: 'Two MX records contradict each other',
    why: 'A null MX says that the domain takes no mail. Beside it are real mail servers. Some senders obey the null MX and refuse to deliver.',
    steps: [
      'Decide whether the domain receives mail.',
      'If it does, delete the null MX, the record with the single dot.',
      'If it doesn’t, delete all the other MX records.',
    ],
    worked: 'The MX section shows either mail servers or the null MX.',
  },
  'mx.dangling': {
    title: 'A mail server has no address',
    why: 'Senders that pick this server can’t deliver there. If someone can register its domain, they can receive your mail.',
    steps: [
      'Compare the name in the MX record with the instructions of your mailbox provider.',
      'If it is misspelled, correct it. If the server is yours, publish its address.',
      'If the server is gone and another one works, delete its MX record.',
    ],
    worked: 'The MX section shows an address for every mail server.',
  },
  'mx.cname': {
    title: 'The MX record points to an alias',
    why: 'The name of a mail server must not be a CNAME. Some senders refuse to follow it, so mail is lost.',
    steps: [
      'Look up the name that the CNAME leads to. The report shows it.',
      'Write that name in the MX record instead. If the server is yours, you can also replace the CNAME with its address records.',
    ],
    worked: 'The MX section shows the server without this finding.',
    note: 'If you have an MTA-STS policy file, add the new name to it first.',
  },
  'mx.ip-literal': {
    title: 'The MX record contains an address instead of a name',
    why: 'An MX record must contain a host name. Senders look up the address as a name, find nothing, and can’t deliver there.',
    steps: [
      'Choose a name for the mail server, such as `mail.example.com`.',
      'Publish the IP address of the server as an A or AAAA record at that name.',
      'Write that name in the MX record instead of the address.',
    ],
    worked: 'The MX section shows the name with its address.',
  },
  'mx.private-address': {
    title: 'A mail server can’t be reached from the internet',
    why: 'All its addresses are for private networks. No sender on the internet can deliver there.',
    steps: [
      'Look up the public IP address of the mail server. Your network administrator knows it.',
      'Publish the public address for the name of the server.',
      'If the server should not be public, remove it from the MX records. Keep one that works.',
    ],
    worked: 'The MX section shows a public address.',
  },
  'mx.too-many': {
    title: 'Too many mail servers',
    why: 'Senders give up after a few servers. A long list only makes delivery slower and mistakes harder to see.',
    steps: [
      'Check with your mailbox provider which servers receive your mail.',
      'Delete the MX records of all other servers.',
    ],
    worked: 'The MX section shows only the servers that your provider names.',
  },
  'mx.too-many-addresses': {
    title: 'A mail server has too many addresses',
    why: 'Senders give up after a few addresses. Addresses that don’t receive mail slow down delivery.',
    steps: [
      'Check which addresses of the server receive mail.',
      'Delete the other address records of the server.',
    ],
    worked: 'The MX section shows only addresses that receive mail.',
    isOftenElsewhere: true,
  },
  'mx.host-unavailable': {
    title: 'A mail server couldn’t be looked up',
    why: 'DNS didn’t answer for some addresses of a mail server. They are unknown, and we don’t count that against you.',
    steps: [
      'Wait a few minutes, and check the domain again.',
      'If it still fails, tell the operator of the mail server.',
    ],
    worked: 'The MX section shows the addresses.',
    needsNoChange: true,
  },
  'mx.null-but-sending': {
    title: 'The domain sends mail but takes no replies',
    why: 'A null MX says that the domain takes no mail. Some receivers refuse mail from such a domain, because no one can answer it.',
    steps: [
      'Decide whether the domain sends mail.',
      'If it does, replace the null MX with the MX records of your mailbox provider.',
      'If it doesn’t, change the SPF record to `v=spf1 -all`.',
    ],
    worked: 'The MX and SPF sections agree, and this finding is gone.',
  },
}
