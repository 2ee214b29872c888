/** `docex get|post|patch|put|delete PATH`: any call, also of a newer service. */
import type { Command } from 'commander'
import type { CallDescription } from '../../../sdk/src/request.ts'
import { addData, headerText, objectFrom } from '../bodies.ts'
import { contextOf } from '../context.ts'
import { UsageError } from '../failures.ts'
import type { Io } from '../io.ts'
import { addWriteOptions, callOptions, printResponse } from './operations.ts'

const methods = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'] as const

const examples = {
  GET: "docex get '/v1/documents?status=approved&limit=5' --json",
  POST: `docex post /v1/sandbox/clock --data '{"advance_by":"P1D"}'`,
  PATCH: `docex patch /v1/documents/doc_… --data @change.json --if-match 2`,
  PUT: 'docex put /v1/finance/setup --data @- < setup.json',
  DELETE: 'docex delete /v1/webhooks/whk_…',
}

export const addRawCalls = (program: Command, io: Io): void => {
  for (const method of methods) {
    const command = program
      .command(method.toLowerCase())
      .argument('<path>', 'The path of the API, such as /v1/me or me.')
      .summary(`Send ${method} to a path`)
      .description(`Send ${method} to a path of the API and print its answer.`)
      .addHelpText('after', `\nExample:\n  ${examples[method]}`)
    if (method !== 'GET') {
      addData(addWriteOptions(command), 'The body.').option(
        '--if-match <revision>',
        'Only if the document still has this revision.',
        headerText,
      )
    }
    command.action(async (path: string) => {
      const context = contextOf(io, command)
      const { data } = context.options
      const call: CallDescription = { method, path: pathOf(path) }
      if (typeof data === 'string') call.body = await objectFrom(io, data, '--data')
      printResponse(context, await context.client().bytes(call, callOptions(context)))
    })
  }
}

/** A whole URL would send the key to another host. */
const pathOf = (given: string): string => {
  if (/^[\w+.-]+:|^\/\//.test(given)) {
    throw new UsageError(`${given}: send a path of the service, such as /v1/me, and no URL.`)
  }
  const path = given.startsWith('/') ? given : `/${given}`
  return /^\/v\d+(?:[/?]|$)/.test(path) ? path : `/v1${path}`
}
