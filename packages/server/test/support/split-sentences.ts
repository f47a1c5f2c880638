/** The sentences and words of our own texts, in which backticks mark code. */

/** Code counts as one short word: its dots end no sentence. */
export function splitSentences(text: string): string[] {
  return text
    .replace(/`[^`]*`/g, 'code')
    .split(/(?<=[.!?])\s+/)
    .filter((sentence) => /[a-z]/i.test(sentence))
}

export function splitWords(sentence: string): string[] {
  return sentence.match(/[a-z\d][a-z\d’'-]*/gi) ?? []
}
