/** What may follow the words that are typed: commands, then flags and their choices. */
import type { Command } from 'commander'

export const wordsAfter = (program: Command, words: readonly string[]): string[] => {
  let command = program
  for (const word of words) {
    command = command.commands.find((one) => one.name() === word) ?? command
  }
  const last = words.at(-1) ?? ''
  const option = command.options.find(({ long }) => long === last)
  if (option?.required === true) return [...(option.argChoices ?? [])]
  const commands = command.commands.map((one) => one.name()).filter((one) => one !== 'complete')
  const flags = [...command.options, ...program.options].flatMap(({ long }) =>
    long === undefined || long === null || words.includes(long) ? [] : [long],
  )
  return [...commands, ...flags]
}
