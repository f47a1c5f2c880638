/** An answer that is good for a while, so that those who ask often do not pass every question on. */
export function cachedFor<Answer>(
  ask: () => Promise<Answer>,
  { ms, now }: { readonly ms: number; readonly now: () => number },
): () => Promise<Answer> {
  let answer: Promise<Answer> | null = null
  let until = 0
  return () => {
    if (answer !== null && now() < until) return answer
    until = now() + ms
    const asked = ask()
    answer = asked
    // A failure is no answer: whoever comes next asks again.
    asked.catch(() => {
      if (answer === asked) answer = null
    })
    return asked
  }
}
