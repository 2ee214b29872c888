/** What may follow the words that are typed: choices, commands and flags. */
import type { Argument, Command } from 'commander'

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
  return [...(argumentAfter(command, words)?.argChoices ?? []), ...commands, ...flags]
}

/** The one that comes next. */
const argumentAfter = (command: Command, words: readonly string[]): Argument | undefined => {
  const takesValue = (word: string | undefined) =>
    command.options.some(({ long, required }) => long === word && required)
  const typed = words.filter((word, i) => !word.startsWith('-') && !takesValue(words[i - 1]))
  return command.registeredArguments[typed.length - depthOf(command)]
}

const depthOf = ({ parent }: Command): number => (parent === null ? 0 : 1 + depthOf(parent))
