/** What a person sees who types `--help`. */
import { describe, expect, test } from 'vitest'
import { runMailgrade } from '../../test/support/run-mailgrade.js'
import { COMMANDS } from './commands.js'

test.each([[], ...COMMANDS.map(({ name }) => [name])])(
  'mailgrade %s --help fits into 80 columns',
  async (...line) => {
    const { stdout, exitCode } = await runMailgrade([...line, '--help'])
    expect(exitCode).toBe(0)
    expect(stdout.split('\n').filter((text) => text.length > 80)).toEqual([])
  },
)

describe.each(COMMANDS.map((command) => [command.name, command] as const))('%s', (_, command) => {
  test('has a summary that fits into a list', () => {
    expect(command.summary).toMatch(/^[a-z].*[^.]$/)
  })

  test('has examples, each with a sentence', async () => {
    const { stdout } = await runMailgrade([command.name, '--help'])
    expect(command.examples.length).toBeGreaterThan(0)
    for (const example of command.examples) {
      expect(example.explanation).toMatch(/^[A-Z].*\.$/)
      expect(stdout).toContain(`  ${example.command}\n      ${example.explanation}`)
    }
  })

  test('uses only options in its examples that it has', () => {
    const known = command.options.flatMap(({ short, long }) => [short, long])
    // Another program may start ours, with options of its own.
    const lines = command.examples.map((example) =>
      example.command.replace(/^.* npx .* (?=mailgrade )/, ''),
    )
    const used = lines.flatMap((line) => line.match(/ --?[a-z-]+/g) ?? [])
    expect(used.map((flag) => flag.trim()).filter((flag) => !known.includes(flag))).toEqual([])
  })
})
