import type { FindingGuide, FindingIdOf } from './finding-guide.js'

const SET_UP = [
  'Open the DKIM settings of the service that sends your mail, and create a key of 2048 bits.',
  'Publish the record that the service shows, with exactly that name.',
  'Turn on signing at the service.',
] as const

const SIGNED =
  'Send yourself a message and view its source. It must show `dkim=pass` with your domain.'

const NEW_KEY = [
  'Create a new key of 2048 bits at your mail service, with a new selector, and publish its record.',
  'Switch signing to the new selector.',
  'Wait a week for mail that is still on its way. Then delete the old record.',
] as const

const HOSTED_KEY =
  'If the selector is a CNAME, the service hosts the key. Leave the CNAME, and ask the service for a 2048-bit key.'

export const DKIM_GUIDES: Readonly<Record<FindingIdOf<'dkim'>, FindingGuide>> = {
  'dkim.missing': {
    title: 'No DKIM key',
    why: 'Without a key, no one can sign mail for your domain. Mail that someone forwards then fails DMARC and may be lost.',
    steps: SET_UP,
    worked: `The DKIM section shows the key. ${SIGNED}`,
  },
  'dkim.revoked': {
    title: 'Only revoked DKIM keys',
    why: 'An empty `p=` tag means that a key is no longer valid. Receivers treat every signature made with it as broken.',
    steps: SET_UP,
    worked: `The DKIM section shows a valid key. ${SIGNED}`,
    note: 'Is your mail signed with another selector? Enter that selector with the domain, and we check it.',
  },
  'dkim.unknown-selector': {
    title: 'There are DKIM keys, but not at the usual names',
    why: 'DNS can’t list selectors, so we try the usual ones. Your domain has others, which we can’t see. It probably signs its mail.',
    steps: [
      'Open a message that you sent, and view its source.',
      'Look for `DKIM-Signature`, and copy the value of `s=`. That is your selector.',
      'Enter the selector with your domain in the check.',
    ],
    worked: 'The DKIM section shows the key of this selector.',
    note: 'If the message has no `DKIM-Signature` with your domain, turn on signing at your mail service.',
  },
  'dkim.unknown': {
    title: 'We couldn’t tell whether DKIM is set up',
    why: 'DNS can’t list selectors, so we try the usual ones. We found no key there, but yours may use another name.',
    steps: [
      'Open a message that you sent, view its source, and look for `DKIM-Signature`.',
      'If it is there with your domain, copy the value of `s=` and enter it as the selector in the check.',
      'If it isn’t, turn on signing at your mail service and publish the record that it shows.',
    ],
    worked: 'The DKIM section shows the key of your selector.',
  },
  'dkim.not-needed': {
    title: 'No DKIM key, and none is needed',
    why: 'Your domain says that it sends no mail, so there is nothing to sign.',
    steps: [
      'Leave everything as it is while the domain sends no mail.',
      'Before the domain starts to send, set up SPF and DKIM at the service that will send.',
    ],
    worked: 'This finding stays, and that is fine.',
    needsNoChange: true,
  },
  'dkim.selector-not-found': {
    title: 'No key at the selector you gave',
    why: 'Mail that is signed with this selector fails DKIM, because receivers find no key for it.',
    steps: [
      'Open a message that you sent, view its source, and compare `s=` in `DKIM-Signature` with the selector.',
      'If they differ, check the domain again with the selector from the message.',
      'If they are the same, publish the key that your mail service shows for this selector.',
    ],
    worked: 'The DKIM section shows the key of this selector.',
  },
  'dkim.weak-key': {
    title: 'A DKIM key can be broken',
    why: 'An attacker can compute the secret half of a key with fewer than 1024 bits. They can then sign mail as your domain.',
    steps: NEW_KEY,
    worked: 'The DKIM section shows a key of 2048 bits and no longer the old one.',
    note: HOSTED_KEY,
  },
  'dkim.private-key': {
    title: 'A private key is public',
    why: 'The record holds the secret half of a key, and everyone can read it. With it, anyone could sign mail as your domain.',
    steps: [
      'Create a new key pair at your mail service, with a new selector. Publish its public key.',
      `Switch signing to the new selector. ${SIGNED}`,
      'Delete the record with the private key, and every record with the public half of that key. Never use that key again.',
    ],
    worked: 'The DKIM section shows the new key, and neither this record nor the old public key.',
    note: 'The public half may be at another selector. While it is there, anyone can sign as you with the leaked key.',
  },
  'dkim.short-key': {
    title: 'A DKIM key is shorter than recommended',
    why: 'Receivers accept the key today. But a 1024-bit key can be broken with enough computing power, so 2048 bits are recommended.',
    steps: NEW_KEY,
    worked: 'The DKIM section shows a key of 2048 bits.',
    note: `${HOSTED_KEY} Some services offer only 1024 bits; then nothing more can be done.`,
  },
  'dkim.malformed': {
    title: 'A DKIM record can’t be read',
    why: 'The record has an error, so receivers can’t use the key. Mail signed with it fails DKIM.',
    steps: [
      'Read in the report what is wrong with the record. Often a part was cut off when it was pasted.',
      'Copy the record from your mail service again, in full.',
      'Replace the broken record with it.',
    ],
    worked: 'The DKIM section shows the key as valid.',
  },
  'dkim.several-records': {
    title: 'More than one record at a selector',
    why: 'A selector may have only one record. With several, each receiver may pick another one, so some of your mail fails.',
    steps: [
      'Look up at your mail service which key is in use.',
      'If the records are parts of one key, publish them together as one TXT record.',
      'Delete the other records at this selector.',
    ],
    worked: 'The DKIM section shows one record at this selector.',
  },
  'dkim.dangling-cname': {
    title: 'A DKIM name leads nowhere',
    why: 'The selector is a CNAME to a name without a key. Mail signed with it fails. If someone else gets that name, they may sign as you.',
    steps: [
      'Decide whether you still use the service that the CNAME leads to.',
      'If you do, turn on DKIM signing there.',
      'If you don’t, delete the CNAME.',
    ],
    worked: 'The DKIM section shows a key there, or the name is gone.',
  },
  'dkim.testing': {
    title: 'A DKIM key is in test mode',
    why: 'The flag `t=y` asks receivers to treat signed mail like unsigned mail. The key then protects nothing.',
    steps: [
      'Send yourself a message and view its source. It must show `dkim=pass` with your domain.',
      'Remove `t=y` from the record.',
    ],
    worked: 'The DKIM section shows the key without test mode.',
    note: 'If the selector is a CNAME, ask the service that hosts the key to do this.',
  },
  'dkim.sha1-only': {
    title: 'DKIM allows only an outdated kind of signature',
    why: 'The record allows only SHA-1 signatures. Receivers no longer accept them, so every signature of your domain fails.',
    steps: [
      'Check that your mail service signs with SHA-256. Nearly all do.',
      'Remove the `h=` tag from the record, or write `h=sha256`.',
    ],
    worked: `The DKIM section no longer shows this finding. ${SIGNED}`,
  },
  'dkim.sha1-key': {
    title: 'One DKIM key allows only an outdated kind of signature',
    why: 'Receivers no longer accept SHA-1 signatures, so mail signed with this key fails DKIM. Your other keys are fine.',
    steps: [
      'Check whether a service still signs with this selector.',
      'If one does, remove the `h=` tag from the record. If none does, delete the record.',
    ],
    worked: 'The DKIM section no longer shows this finding.',
  },
  'dkim.ed25519-only': {
    title: 'Many receivers can’t use your DKIM key',
    why: 'All your keys are of the new kind Ed25519. Many receivers can’t check them yet and treat your mail as unsigned.',
    steps: [
      'Create an RSA key of 2048 bits, with a selector of its own, and publish its record.',
      'Set your mail server to sign with both keys.',
    ],
    worked: 'The DKIM section shows both keys.',
  },
  'dkim.not-for-email': {
    title: 'A DKIM key isn’t for email',
    why: 'The `s=` tag in the record limits the key to other services, so receivers ignore it for mail.',
    steps: ['Remove the `s=` tag from the record, or write `s=email`.'],
    worked: 'The DKIM section shows the key as valid.',
  },
  'dkim.wildcard': {
    title: 'Every selector has a DKIM record',
    why: 'A wildcard answers for every name, even names that you never set up. You can’t switch off a single key then.',
    steps: [
      'List the selectors that your services sign with.',
      'Publish the key of each service at its own selector.',
      'Delete the wildcard record.',
    ],
    worked: `The DKIM section shows only your own selectors. ${SIGNED}`,
  },
  'dkim.wildcard-revoked': {
    title: 'A wildcard switches off all other selectors',
    why: 'It says that selectors without a record of their own have no valid key. That is right for a domain without mail, and harmless for others.',
    steps: [
      'Leave it as it is.',
      'If the domain starts to send, publish the keys of your services beside the wildcard.',
    ],
    worked: 'This finding stays, and that is fine.',
    needsNoChange: true,
  },
  'dkim.obsolete-tags': {
    title: 'An old tag in a DKIM record',
    why: 'The tag `g=` was dropped in 2011. Receivers ignore it, but very old ones may refuse your mail because of it.',
    steps: ['Remove the `g=` tag from the record. Leave the rest as it is.'],
    worked: 'The DKIM section shows the key without this finding.',
  },
  'dkim.missing-version': {
    title: 'A DKIM record without its version',
    why: 'The start `v=DKIM1` is optional, but recommended. The key works without it.',
    steps: ['Put `v=DKIM1;` and a space at the start of the record. Leave the rest as it is.'],
    worked: 'The DKIM section shows the key without this finding.',
    note: 'If the selector is a CNAME, the service hosts the record. Then leave it as it is.',
  },
  'dkim.large-key': {
    title: 'A DKIM key is too long',
    why: 'Receivers need not check keys of more than 4096 bits, and the record may not fit into a DNS answer. Your signatures may fail.',
    steps: NEW_KEY,
    worked: 'The DKIM section shows a key of 2048 bits.',
    note: HOSTED_KEY,
  },
  'dkim.mailbox-provider-key-not-found': {
    title: 'No DKIM key of your mailbox provider',
    why: 'We found keys of other services, but none where your mailbox provider usually has it. Mail from your mailboxes may be unsigned.',
    steps: [
      'Send yourself a message from a mailbox and view its source. Look for `dkim=pass` with your domain.',
      'If it is there, nothing has to change.',
      'If it is missing, turn on DKIM at the mailbox provider and publish the record that it shows.',
    ],
    worked: `The DKIM section shows the provider’s key. ${SIGNED}`,
  },
  'dkim.forwarder-key': {
    title: 'A key that belongs to a forwarding service',
    why: 'This key signs only mail that passes through the forwarding service. Mail that you send in another way isn’t signed with it.',
    steps: [
      'Keep the key while you use the forwarding service.',
      'Set up DKIM at every service that sends your mail.',
    ],
    worked: 'The DKIM section shows a key of the service that sends your mail.',
  },
  'dkim.selector-unavailable': {
    title: 'Some selectors couldn’t be looked up',
    why: 'DNS didn’t answer for some names. What is published there is unknown, and we don’t count it against you.',
    steps: [
      'Wait a few minutes, and check the domain again.',
      'If it still fails, check with your DNS host that the name servers of the domain work.',
    ],
    worked: 'This finding is gone.',
    needsNoChange: true,
  },
}
