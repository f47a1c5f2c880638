/** `10 mx.example.com` in its two parts, which most panels ask for in fields of their own. */
export interface MxValue {
  readonly preference: number
  readonly exchange: string
}

/** Without a preference the server is the most preferred. */
export function parseMxValue(value: string): MxValue {
  const [, preference = '0', exchange = ''] = /^\s*(?:(\d+)\s+)?(.*?)\s*$/s.exec(value) ?? []
  return { preference: Number(preference), exchange }
}
