/** Whole tasks as Arazzo files, which a program can read, and run against this service. */
import { readFileSync } from 'node:fs'
import type { Config } from '../../config.ts'
import { quoted } from '../examples/curl.ts'
import { type Section, code, list, table, text } from '../blocks.ts'

/** A file of docs/journeys, whose title and summary these are. */
export interface JourneyFile {
  name: string
  path: string
  title: string
  summary: string
  contentFor: (config: Pick<Config, 'baseUrl'>) => string
}

/** In the repository, the files name the specifications beside them. */
const specifications = {
  '../../openapi.json': '/v1/openapi.json',
  '../../openapi-auth.json': '/auth/openapi.json',
}

const file = (journey: string, title: string, summary: string): JourneyFile => {
  const name = `${journey}.arazzo.yaml`
  const content = readFileSync(new URL(`../../../docs/journeys/${name}`, import.meta.url), 'utf8')
  return {
    ...{ name, path: `/v1/docs/journeys/${name}`, title, summary },
    contentFor: ({ baseUrl }) =>
      Object.entries(specifications).reduce(
        (served, [place, path]) => served.replace(`url: ${place}\n`, `url: ${baseUrl}${path}\n`),
        content,
      ),
  }
}

export const journeyFiles: readonly JourneyFile[] = [
  file(
    'quickstart',
    'Quickstart',
    'From an API key to an invoice that the other side has approved.',
  ),
  file(
    'send-and-get-paid',
    'Send and get paid',
    'An invoice that the demo counterparty approves and pays, as the sandbox’s clock advances.',
  ),
  file(
    'approve-and-pay',
    'Approve and pay',
    'A program asks to pay a bill, and a person approves exactly that payment.',
  ),
  file(
    'quote-to-cash',
    'Quote to cash',
    'A quote becomes an order, the order an invoice, and the invoice is paid.',
  ),
  file(
    'webhooks',
    'Webhooks, with the sweep as backstop',
    'An endpoint that gets every event, and the feed that shows that it missed none.',
  ),
  file(
    'verify-a-proof',
    'Verify a proof',
    'A document and its history as one file that anyone can verify, and the keys for it.',
  ),
  file(
    'finance',
    'Borrow against an invoice',
    'A loan against an approved invoice, from the listing to the sweep that repays it.',
  ),
  file(
    'mcp',
    'Tools for language models',
    'What a language model does with the tools of the MCP server, as the calls that it makes.',
  ),
]

/** Kept out of the arguments of a command, which others on the machine can read. */
const inputsFor = (baseUrl: string) => ({
  run: 'first-run',
  api_key: '$API_KEY',
  demo_api_key: '$DEMO_API_KEY',
  admin_session_token: '$ADMIN_SESSION_TOKEN',
  connection_id: '$CONNECTION_ID',
  receiver_url: 'http://127.0.0.1:9000/',
  mcp_url: `${baseUrl}/mcp`,
})

export const journeys = ({ baseUrl }: Config): Section => ({
  id: 'journeys',
  title: 'Journeys',
  blocks: [
    text(
      'A journey is a whole task as a file in Arazzo 1.0.1: its calls in order, what each sends, and what each response has to be. A program can learn from it what the guides tell a person. Every version of the service passes them all.',
    ),
    table(
      ['Journey', 'What happens'],
      journeyFiles.map(({ path, title, summary }) => [`[${title}](${baseUrl}${path})`, summary]),
    ),
    text(
      'To run one in your practice pair, [set up your shell](#setup), download the file, and set the inputs:',
    ),
    code('sh', `curl -O ${baseUrl}${journeyFiles[0]!.path}`),
    code('sh', `export REDOCLY_CLI_RESPECT_INPUT=${quoted(inputsFor(baseUrl))}`),
    text('Then any program for Arazzo runs it, such as that of Redocly:'),
    code('text', `npx @redocly/cli respect ${journeyFiles[0]!.name}`),
    list(
      '`run` begins the Idempotency-Keys: take another for each run.',
      'Some journeys advance the clock of the sandbox.',
      'That of webhooks needs a program that answers at `receiver_url`. That of the tools calls no operation of OpenAPI, and says where with `x-operation`, which Redocly understands.',
    ),
  ],
})
