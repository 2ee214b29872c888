/** The variables that every example of the docs uses, each set by a command to paste. */
import type { Config } from '../../config.ts'
import { curl } from '../examples/curl.ts'
import { exampleInvoice } from '../examples/documents.ts'
import { type Section, code, list, text } from '../blocks.ts'

/** Otherwise the demo counterparty may answer the invoice before the reader does. */
const manualInvoice = {
  ...exampleInvoice,
  connection_id: '$CONNECTION_ID',
  external_refs: { ...exampleInvoice.external_refs, sandbox_scenario: 'manual' },
}

const credentials = [
  ['API_KEY', 'organization.api_key'],
  ['DEMO_API_KEY', 'demo.api_key'],
  ['ADMIN_SESSION_TOKEN', 'organization.admin_session_token'],
  ['ADMIN_PASSWORD', 'organization.admin.password'],
  ['CONNECTION_ID', 'connection_id'],
] as const

/** No example has a comment: a zsh in which somebody types does not know them. */
const exports = credentials.map(([variable, place]) => `export ${variable}=$(sandbox ${place})`)

export const setup = ({ baseUrl }: Config): Section => ({
  id: 'setup',
  title: 'Set up your shell',
  blocks: [
    text(
      'On its first start, the service creates a practice pair: your sandbox organization, a demo counterparty and a connection between them. Their credentials are in `sandbox.json` in its data directory (`DATA_DIR`, by default `.data`). Where somebody else runs the service, an owner or admin makes a practice pair of their own ([POST /v1/sandboxes](#sandboxes.create)): its response has the keys, the session and the connection. Paste this in bash or zsh at the root of the project. The examples of all guides can be pasted after it. Those in TypeScript, Python and on the command line need the [packages](#libraries) in `sdk/`, `sdk-python/` and `cli/`, whose README.md says how to install them; those in TypeScript are ES modules (`npm pkg set type=module`).',
    ),
    code(
      'sh',
      [
        'sandbox() { node -p "JSON.parse(fs.readFileSync(\'${DATA_DIR:-.data}/sandbox.json\')).$1"; }',
        ...exports,
        `export DOCEX_API_KEY=$API_KEY DOCEX_BASE_URL=${baseUrl}`,
        'export RUN=$(date +%s)',
      ].join('\n'),
    ),
    list(
      '`API_KEY` is your key, `DEMO_API_KEY` that of the demo counterparty, the other side, and `CONNECTION_ID` their connection.',
      '`ADMIN_SESSION_TOKEN` is a session of your admin, and `ADMIN_PASSWORD` the password of that admin. The session lasts 12 hours: a restart of the service writes another one into the file, and [signing in](#signing-in) gets one at any time.',
      '`RUN` begins the Idempotency-Keys of the guides; set it again to run one again. The variables `DOCEX_…` are for the SDKs and the CLI.',
    ),
    text(
      'Some guides need a document. This makes an invoice and issues it. `sandbox_scenario: manual` keeps the demo counterparty from [answering it by itself](#played-counterparty).',
    ),
    code(
      'sh',
      curl({
        method: 'POST',
        url: `${baseUrl}/v1/documents`,
        credential: 'API_KEY',
        idempotencyKey: 'setup-create',
        body: manualInvoice,
        keeps: { variable: 'DOCUMENT_ID', prefix: 'doc' },
      }),
    ),
    code(
      'sh',
      curl({
        method: 'POST',
        url: `${baseUrl}/v1/documents/$DOCUMENT_ID/issue`,
        credential: 'API_KEY',
        idempotencyKey: 'setup-issue',
      }),
    ),
  ],
})
