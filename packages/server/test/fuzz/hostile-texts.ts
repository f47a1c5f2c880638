/** Texts for parameters and headers, from ordinary to malicious. */
import { anyCharacter } from '@mailgrade/testing/any-character'
import fc from 'fast-check'

/** response-invariants.ts rejects pages that contain one of them unescaped. */
const MARKUP = [
  '<fz>',
  '"><fz onload=alert(1)>',
  `' onfz='x`,
  '" onfz="x',
  '</title><fz>',
  '<!--<fz>',
  'javascript:fz()',
  '&lt;fz&gt;<fz>',
]

const CONTROLS = [
  'good.test\r\nX-Fz: 1',
  '\r\n\r\n<fz>',
  'good.test\n\nHTTP/1.1 200 OK',
  '\0',
  'good\0.test',
  '\u001b[31m',
  '\u007f',
  '\ud800',
  'a\udfff.test',
  '\ufeffgood.test',
  '\u202etset.doog',
  '\u200b',
  '\u2028',
]

const INJECTIONS = [
  '__proto__',
  'constructor',
  'toString',
  "' OR 1=1 --",
  `'; DROP TABLE domains; --`,
  // biome-ignore lint/suspicious/noTemplateCurlyInString: meant for Log4j
  '${jndi:ldap://127.0.0.1/a}',
  '{{7*7}}',
  '<%= 7*7 %>',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: meant for a template
  '${7*7}',
  '../../../../etc/passwd',
  '..%2f..%2fetc%2fpasswd',
  'file:///etc/passwd',
  'gopher://127.0.0.1:6379/_INFO',
  'http://169.254.169.254/latest/meta-data/',
  'http://metadata.google.internal/',
  'http://[::1]:3000/healthz',
  '$(id).test',
  '`id`.test',
  '| cat /etc/passwd',
  '%s%s%s%n',
  '(a+)+$',
]

const NUMBERS = ['0', '-1', '1e309', 'NaN', '0x7f000001', '2130706433', '9007199254740993', '١٢٣']
const ADDRESSES = [
  '127.0.0.1',
  '[::1]',
  '::ffff:10.0.0.1',
  '127.1',
  '[IPv6:::1]',
  '1.2.3.4.',
  '０x7f.1',
]

const NAMES = [
  'xn--',
  'xn--a',
  'xn--0.test',
  'xn--mnchen-3ya.test',
  `xn--${'9'.repeat(59)}.test`,
  'xn--xn--xn--.test',
  'münchen.test',
  'ＧＯＯＤ.ｔｅｓｔ',
  'faß.test',
  'ی‌ک.test',
  'a‍b.test',
  '👩‍👩‍👧‍👦.test',
  'good。test',
  '.',
  '..',
  '.good.test',
  'good..test',
  'localhost',
  'test',
  '-a.test',
  '_dmarc.good.test',
  '*.good.test',
  'a b.test',
  `${'a'.repeat(63)}.test`,
  `${'a'.repeat(64)}.test`,
  `${'a.'.repeat(124)}test`,
  `${'a.'.repeat(127)}test`,
  `${'é'.repeat(60)}.test`,
]

const long = fc
  .tuple(fc.constantFrom('a', 'a.', '%', 'é', '<fz>', '%00', '.', '@', '"', '\\'), fc.nat(3_000))
  .map(([unit, times]) => unit.repeat(times))

export const hostileText: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...MARKUP) },
  { weight: 3, arbitrary: fc.constantFrom(...CONTROLS) },
  { weight: 4, arbitrary: fc.constantFrom(...INJECTIONS) },
  { weight: 2, arbitrary: fc.constantFrom(...NUMBERS, ...ADDRESSES) },
  { weight: 6, arbitrary: fc.constantFrom(...NAMES) },
  { weight: 2, arbitrary: fc.string({ unit: anyCharacter, maxLength: 40 }) },
  { weight: 2, arbitrary: fc.string({ unit: 'grapheme', maxLength: 40 }) },
  { weight: 1, arbitrary: long },
)
