import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { expect, test } from 'vitest'
import { HOSTILE_TEXTS } from '../../test/support/document-entries.js'
import { xmlElement, xmlText } from './xml.js'

const parser = new XMLParser({
  ignoreAttributes: false,
  trimValues: false,
  parseTagValue: false,
  htmlEntities: true,
})

/** Those in the texts that XML 1.0 cannot hold. */
const FORBIDDEN = [...'\0\u0001\b\v\f\u001b\ufffe\uffff', '\ud800', '\udfff']

const toAllowed = (text: string) =>
  FORBIDDEN.reduce((result, character) => result.replaceAll(character, '\ufffd'), text)

test.each(HOSTILE_TEXTS)('%j can be read back', (text) => {
  const xml = xmlElement('a', { value: text }, [xmlText(text)])
  const expected = toAllowed(text)
  expect(XMLValidator.validate(xml)).toBe(true)
  expect(parser.parse(xml)).toEqual({ a: { '@_value': expected, '#text': expected } })
})

test('an element without content is closed at once', () => {
  expect(xmlElement('a', { count: 3 })).toBe('<a count="3"/>')
})
