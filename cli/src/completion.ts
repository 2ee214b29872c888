/** What may follow the words that are typed: choices, commands and flags. */
import type { Command, Option } from 'commander'

export const wordsAfter = (program: Command, words: readonly string[]): string[] => {
  let command = program
  let argumentsTyped = 0
  /** The flag whose value comes next. */
  let open: Option | undefined
  const optionsHere = () => [...command.options, ...program.options]
  for (const word of words) {
    const found = command.commands.find((one) => one.name() === word)
    if (open !== undefined) open = undefined
    else if (word.startsWith('-'))
      open = optionsHere().find(({ long, required }) => long === word && required)
    else if (found !== undefined) command = found
    else argumentsTyped += 1
  }
  if (open !== undefined) return [...(open.argChoices ?? [])]
  const choices = command.registeredArguments[argumentsTyped]?.argChoices ?? []
  const commands = command.commands.map((one) => one.name()).filter((one) => one !== 'complete')
  const flags = optionsHere().flatMap(({ long }) =>
    long === undefined || long === null || words.includes(long) ? [] : [long],
  )
  return [...choices, ...commands, ...flags]
}
