/** Randomness, handed down. */
export interface Chance {
  readonly randomLabel: () => string
}

/** The same labels each time, so that looking once more asks nothing new. */
export function remembered({ randomLabel }: Chance): () => Chance {
  const drawn: string[] = []
  return () => {
    let next = 0
    return {
      randomLabel() {
        const label = drawn[next] ?? randomLabel()
        drawn[next] = label
        next += 1
        return label
      },
    }
  }
}
