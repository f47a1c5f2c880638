/** A file in memory that may be an aggregate report, as if a person had named it. */
export function aggregateFile(
  content: Buffer | string,
  { name = 'report.xml', canReopen = true } = {},
) {
  async function* open(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(content)
  }
  return { kind: 'file' as const, name, isGiven: true, canReopen, open }
}
