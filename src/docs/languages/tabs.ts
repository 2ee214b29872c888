/** An example call in every language, as tabs; and as a call that the reader can make. */
import type { Block } from '../blocks.ts'
import { isLive } from '../operation-facts.ts'
import type { ExampleCall } from './example-call.ts'
import { pythonText } from './python.ts'
import { commandText, curlText } from './shell.ts'
import { toolText } from './tool.ts'
import { typescriptText } from './typescript.ts'

/** The label of the form that a client of the MCP server can use. */
export const toolTab = 'MCP tool'

export const callTabs = (call: ExampleCall): Block => ({
  kind: 'tabs',
  tabs: [
    { label: 'curl', language: 'sh', text: curlText(call) },
    { label: 'TypeScript', language: 'ts', text: typescriptText(call) },
    { label: 'Python', language: 'python', text: pythonText(call) },
    { label: 'CLI', language: 'sh', text: commandText(call) },
    { label: toolTab, language: 'json', text: toolText(call) },
  ],
})

/** A response without an end is nothing to try. */
export const triedCall = (call: ExampleCall): Block[] => {
  const { operation, path, query, body, credential } = call
  if (isLive(operation)) return []
  const { id, method } = operation
  const pairs = Object.entries(query).map(([name, value]) => `${name}=${String(value)}`)
  return [
    {
      kind: 'try',
      call: {
        id,
        method,
        path: operation.path,
        values: path,
        ...(operation.query === undefined ? {} : { query: pairs.join('&') }),
        ...(body === undefined ? {} : { body }),
        ...(operation.takesFile === undefined ? {} : { takesFile: true }),
        ...(credential === undefined
          ? {}
          : { credential: credential === 'API_KEY' ? 'key' : 'session' }),
      },
    },
  ]
}
