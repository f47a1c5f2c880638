/** Well-formed XML 1.0 from any text. */

/** XML allows no other characters, not even as references (XML 1.0 §2.2). */
const FORBIDDEN = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu

const REFERENCES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
}

/** A parser would turn a carriage return into a line feed. */
export function xmlText(text: string): string {
  return escapeText(text, /[&<>\r]/g)
}

/** A parser would turn white space in an attribute into spaces. */
function xmlAttribute(text: string): string {
  return escapeText(text, /[&<>"\t\n\r]/g)
}

function escapeText(text: string, special: RegExp): string {
  return text
    .replace(FORBIDDEN, '\ufffd')
    .replace(special, (character) => REFERENCES[character] ?? character)
}

/** `content` is already XML. */
export function xmlElement(
  name: string,
  attributes: Readonly<Record<string, string | number>>,
  content: readonly string[] = [],
): string {
  const pairs = Object.entries(attributes).map(
    ([key, value]) => ` ${key}="${xmlAttribute(`${value}`)}"`,
  )
  const start = `<${name}${pairs.join('')}`
  return content.length === 0 ? `${start}/>` : `${start}>${content.join('')}</${name}>`
}
