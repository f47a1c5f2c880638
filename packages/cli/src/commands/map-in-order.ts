/** Runs up to `limit` tasks at once and yields their results in the order of the items. */
export async function* mapInOrder<Item, Result>(
  items: readonly Item[],
  limit: number,
  run: (item: Item) => Promise<Result>,
): AsyncGenerator<Result> {
  const running: Promise<Result>[] = []
  for (const item of items) {
    if (running.length === limit) yield await take(running)
    running.push(run(item))
  }
  while (running.length > 0) yield await take(running)
}

function take<Result>(running: Promise<Result>[]): Promise<Result> {
  const [first] = running.splice(0, 1)
  if (!first) throw new Error('Nothing is running')
  return first
}
