/** Texts of reports mark code with backticks; a terminal shows the words alone. */
export function toTerminalText(text: string): string {
  return text.replaceAll('`', '')
}
