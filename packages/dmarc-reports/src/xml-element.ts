/** A small part of a report as a tree: one record, the metadata, or the policy. */

export interface XmlElement {
  /** Without the namespace prefix. */
  readonly name: string
  text: string
  readonly children: XmlElement[]
}

/** Some reports repeat an element that should appear once; the first counts. */
export function child(element: XmlElement | undefined, name: string): XmlElement | undefined {
  return element?.children.find((each) => each.name === name)
}

export function childrenNamed(element: XmlElement | undefined, name: string): XmlElement[] {
  return element?.children.filter((each) => each.name === name) ?? []
}

/** Trimmed, at most `limit` characters; null when the element is missing or empty. */
export function textOf(element: XmlElement | undefined, name: string, limit = 255): string | null {
  const text = child(element, name)?.text.trim().slice(0, limit)
  return text ? text : null
}

/** One of the words, in any case; `other` for any other word, null when missing. */
export function wordOf<Word extends string>(
  element: XmlElement | undefined,
  name: string,
  words: readonly Word[],
): Word | 'other' | null {
  const text = textOf(element, name)?.toLowerCase()
  if (text === undefined) return null
  return words.find((word) => word === text) ?? 'other'
}

/** Domains as DNS compares them. */
export function domainOf(element: XmlElement | undefined, name: string): string | null {
  const text = textOf(element, name)?.toLowerCase()
  return text?.slice(text.lastIndexOf('@') + 1).replace(/\.$/, '') || null
}
