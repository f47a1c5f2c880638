/** Randomness, handed down. */
export interface Random {
  readonly randomLabel: () => string
}

/** The same labels each time, so that looking once more asks nothing new. */
export function createRepeatableRandom({ randomLabel }: Random): () => Random {
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
