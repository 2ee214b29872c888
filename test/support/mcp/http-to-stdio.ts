/**
 * Gives clients that speak HTTP alone a server of MCP on stdio: each message becomes a line, and
 * the line that answers it the response. Ids are replaced on the way, since many clients share the
 * program. What stdio does not have is lost: headers, statuses and streams.
 */
import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
import { createInterface } from 'node:readline'
import { json } from 'node:stream/consumers'
import { after } from 'node:test'
import { inheritedEnvironment } from '../processes/program.ts'
import { listen } from '../webhooks/receiver.ts'

interface Message {
  id?: unknown
  method?: string
}

export const startHttpToStdio = async (
  [program, ...args]: readonly [string, ...string[]],
  env: Readonly<Record<string, string>>,
): Promise<string> => {
  const server = spawn(program, args, {
    env: { ...inheritedEnvironment, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  after(() => server.stdin.end())
  const waiting = new Map<unknown, (answer: Message) => void>()
  createInterface(server.stdout).on('line', (line) => {
    const answer = JSON.parse(line) as Message
    waiting.get(answer.id)?.(answer)
    waiting.delete(answer.id)
  })
  let serial = 0
  const write = (message: Message): void => {
    server.stdin.write(`${JSON.stringify(message)}\n`)
  }
  const ask = (message: Message): Promise<Message> => {
    const id = (serial += 1)
    return new Promise((resolve) => {
      waiting.set(id, (answer) => resolve({ ...answer, id: message.id }))
      write({ ...message, id })
    })
  }
  const http = createServer((request, response) => {
    const answer = async (): Promise<void> => {
      if (request.method !== 'POST') return void response.writeHead(405).end()
      const message = (await json(request)) as Message
      if (message.id === undefined) {
        write(message)
        return void response.writeHead(202).end()
      }
      const text = JSON.stringify(await ask(message))
      response.writeHead(200, { 'content-type': 'application/json' }).end(text)
    }
    answer().catch((error: unknown) => response.writeHead(500).end(String(error)))
  })
  return `http://127.0.0.1:${await listen(http)}`
}
