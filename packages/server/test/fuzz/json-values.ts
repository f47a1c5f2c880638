/** Random JSON, with member names that programs often handle badly. */
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
    {
      weight: 2,
      arbitrary: fc.array(fc.tuple(key, tie('value')), { maxLength: 4 }).map(createObject),
    },
  ),
}))

/** `__proto__` becomes an ordinary member, as with JSON.parse. */
function createObject(entries: readonly (readonly [string, unknown])[]): object {
  const object = {}
  for (const [name, value] of entries) {
    Object.defineProperty(object, name, { value, enumerable: true, configurable: true })
  }
  return object
}

/** Copies a value with another member at the path; `undefined` removes it. */
export function replaceAtPath(
  given: unknown,
  [name, ...rest]: readonly string[],
  value: unknown,
): unknown {
  if (name === undefined) return value
  const others = Object.entries<unknown>(Object(given)).filter(([key]) => key !== name)
  return createObject([...others, [name, replaceAtPath(readMember(given, name), rest, value)]])
}

/** The member at the path, or undefined where there is none. */
export function readMember(value: unknown, ...path: readonly string[]): unknown {
  let inner = value
  for (const name of path) {
    inner = Object.entries<unknown>(Object(inner)).find(([key]) => key === name)?.[1]
  }
  return inner
}
