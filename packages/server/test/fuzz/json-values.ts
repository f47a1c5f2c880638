/** Any JSON, with the members that programs stumble over. */
import fc from 'fast-check'
import { hostileText } from './hostile-texts.js'

const key = fc.oneof(
  fc.constantFrom('__proto__', 'constructor', 'toString', 'domain', 'email', 'name', '_meta', ''),
  fc.string({ maxLength: 8 }),
)
const leaf = fc.oneof(
  fc.constantFrom<unknown>(null, true, false, 0, -1, 1e308, 2 ** 53, '', 'good.test', '0x'),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  hostileText,
)

export const { value: anyJsonValue } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    { weight: 4, arbitrary: leaf },
    { weight: 1, arbitrary: fc.array(tie('value'), { maxLength: 4 }) },
    { weight: 2, arbitrary: fc.array(fc.tuple(key, tie('value')), { maxLength: 4 }).map(objectOf) },
  ),
}))

/** With `__proto__` as a member like any other, as JSON.parse makes it. */
function objectOf(entries: readonly (readonly [string, unknown])[]): object {
  const made = {}
  for (const [name, value] of entries) {
    Object.defineProperty(made, name, { value, enumerable: true, configurable: true })
  }
  return made
}

/** A copy in which the member at the path is another; `undefined` leaves it out. */
export function replaceAtPath(
  given: unknown,
  [name, ...rest]: readonly string[],
  value: unknown,
): unknown {
  if (name === undefined) return value
  const members = Object.entries(Object(given)).filter(([key]) => key !== name)
  const inner = (Object(given) as Record<string, unknown>)[name]
  return objectOf([...members, [name, replaceAtPath(inner, rest, value)]])
}
