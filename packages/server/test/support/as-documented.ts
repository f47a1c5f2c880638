/**
 * A result as the documents show it: they have a fixed date and the links of the sandbox, while a
 * plan counts its days from today and links to the checks of its instance.
 */
export function asDocumented<Value>(value: Value, baseUrl: string): Value {
  const text = JSON.stringify(value ?? null)
    // `2026-11-16`, `20261116` and `20261116T120000Z`.
    .replace(/\b20\d{2}(-?)\d{2}\1\d{2}(?:T\d{6}Z)?\b/g, 'DATE')
    .replaceAll(`${baseUrl}/`, 'http://localhost:3000/')
  return JSON.parse(text)
}
