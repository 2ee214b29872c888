/**
 * Which instructions and prompts a caller is offered: those whose tools it is offered. The names
 * are read from the texts, so that none is forgotten.
 */
import type { ProtocolError } from '@modelcontextprotocol/server'
import { instructions } from './guide.ts'
import { type Selection, type ToolCaller, withheld } from './offered-tools.ts'
import { type Prompt, prompts } from './prompts.ts'
import { invalidParams } from './request-parameters.ts'
import type { OperationTool } from './tools.ts'

/** Who asks, where, and the tools that there are. */
export interface Offer {
  byName: ReadonlyMap<string, OperationTool>
  caller: ToolCaller
  selection: Selection
}

export const offeredInstructions = (offer: Offer): string =>
  named
    .filter(({ names }) => missingTools(names, offer).length === 0)
    .map(({ text }) => text)
    .join('\n')

export const offeredPrompts = (offer: Offer) =>
  prompts
    .filter((prompt) => missingTools(namesIn(prompt.text({})), offer).length === 0)
    .map(({ name, description, arguments: asked }) => ({
      name,
      description,
      arguments: [...asked],
    }))

export const promptFor = (name: string, values: Readonly<Record<string, string>>, offer: Offer) => {
  const prompt = prompts.find((one) => one.name === name)
  if (prompt === undefined) throw invalidParams('There is no such prompt: list them first.')
  const [missing] = missingTools(namesIn(prompt.text({})), offer)
  if (missing !== undefined) throw notOffered(prompt, missing)
  const absent = prompt.arguments.find((one) => one.required && !values[one.name])
  if (absent !== undefined) throw invalidParams(`The argument ${absent.name} is required.`)
  return {
    description: prompt.description,
    messages: [
      { role: 'user' as const, content: { type: 'text' as const, text: prompt.text(values) } },
    ],
  }
}

/** Words with an underscore, of which some name tools. */
const namesIn = (text: string): string[] =>
  [...text.matchAll(/[a-z]+(?:_[a-z]+)+/g)].map(([name]) => name)

/** The instructions are part of many answers, so their names are looked for once. */
const named = instructions.map((text) => ({ text, names: namesIn(text) }))

const missingTools = (names: readonly string[], { byName, caller, selection }: Offer): string[] =>
  names
    .map((name) => byName.get(name))
    .filter((tool) => tool !== undefined)
    .filter((tool) => withheld(tool, caller, selection) !== undefined)
    .map(({ listed }) => listed.name)

const notOffered = ({ name }: Prompt, tool: string): ProtocolError =>
  invalidParams(`${name} needs ${tool}, which is not offered here: tools_explain says why.`)
