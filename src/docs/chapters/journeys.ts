/** Whole tasks as Arazzo files, which a program can read, and run against this service. */
import type { Config } from '../../config.ts'
import { quoted } from '../examples/curl.ts'
import { journeyOf, journeyText } from '../journeys/arazzo.ts'
import { type Section, code, list, table, text } from '../blocks.ts'

export interface JourneyFile {
  name: string
  /** The id of its guide. */
  guide: string
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

const fileOf = (journey: string): JourneyFile => {
  const name = `${journey}.arazzo.yaml`
  const { title, summary } = journeyOf(name).info
  return {
    name,
    path: `/v1/docs/journeys/${name}`,
    title,
    summary,
    guide: journey === 'quickstart' ? journey : `guide-${journey}`,
    contentFor: ({ baseUrl }) =>
      Object.entries(specifications).reduce(
        (served, [place, path]) => served.replace(`url: ${place}\n`, `url: ${baseUrl}${path}\n`),
        journeyText(name),
      ),
  }
}

export const journeyFiles: readonly JourneyFile[] = [
  'quickstart',
  'send-and-get-paid',
  'approve-and-pay',
  'quote-to-cash',
  'webhooks',
  'verify-a-proof',
  'finance',
  'mcp',
].map(fileOf)

/** Kept out of the arguments of a command, which others on the machine can read. */
const inputsFor = (baseUrl: string) => ({
  run: '$RUN',
  api_key: '$API_KEY',
  demo_api_key: '$DEMO_API_KEY',
  admin_session_token: '$ADMIN_SESSION_TOKEN',
  connection_id: '$CONNECTION_ID',
  receiver_url: receiverUrl,
  mcp_url: `${baseUrl}/mcp`,
})

/** Where a reader's own program would listen. */
export const receiverUrl = 'http://127.0.0.1:9000/'

export const journeys = ({ baseUrl }: Config): Section => ({
  id: 'journeys',
  title: 'Journeys',
  blocks: [
    text(
      'A journey is a whole task, call by call: what each sends, and what its response has to be. Each is a guide, and a file in Arazzo 1.0.1 from which the guide is made, and which a program can run. Every version of the service passes them all.',
    ),
    table(
      ['Guide', 'What happens', 'File'],
      journeyFiles.map(({ guide, path, title, summary }) => [
        `[${title}](#${guide})`,
        summary,
        `[Arazzo](${baseUrl}${path})`,
      ]),
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
