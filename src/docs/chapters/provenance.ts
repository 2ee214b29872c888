/** How to check a proof without this service, and the programs that do it. */
import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Config } from '../../config.ts'
import { curl } from '../examples/curl.ts'
import { exampleIds } from '../examples/ids.ts'
import { type Section, code, list, codeSpan, table, text } from '../blocks.ts'

/** The published verifier, as it lies in the repository: served byte for byte. */
export interface VerifierFile {
  name: string
  type: string
  meaning: string
  content: string
  digest: string
}

const file = (name: string, type: string, meaning: string): VerifierFile => {
  const content = readFileSync(new URL(`../../../verifier/${name}`, import.meta.url), 'utf8')
  return { name, type, meaning, content, digest: hash('sha256', content) }
}

export const verifierFiles: readonly VerifierFile[] = [
  file(
    'verify-bundle.mjs',
    'text/javascript; charset=utf-8',
    'one file, Node 18 or newer; the service checks with it too',
  ),
  file(
    'verify_bundle.py',
    'text/x-python; charset=utf-8',
    'written apart; Python 3.8 or newer, its standard library',
  ),
  file('FORMAT.md', 'text/markdown; charset=utf-8', 'every byte, enough to write a third'),
]

export const verifierPath = (name: string): string => `/v1/docs/verifier/${name}`

export const provenance = ({ baseUrl }: Config): Section => {
  const document = `${baseUrl}/v1/documents/${exampleIds.document}`
  const get = (url: string) => curl({ method: 'GET', url, credential: 'API_KEY' })
  return {
    id: 'provenance',
    title: 'Proofs',
    blocks: [
      text(
        'Every change of a document is committed to a chain of hashes in the same transaction, and every link of the chain to a Merkle log whose checkpoints are signed. [History](#documents.history) and [lineage](#documents.lineage) are verified in full for every answer. [Export](#documents.export) gives you the proof as one file that anyone can check, without this service and without a network.',
      ),
      text('**1. Pin the keys of the log**, once, and keep the file.'),
      code('sh', `${get(`${baseUrl}/v1/log/keys`)} > trust.json`),
      text('**2. Export.** `Svc-Bundle-Digest` is the SHA-256 of the exact bytes.'),
      code('sh', `${get(`${document}/export`)} > invoice.svc-proof.json`),
      text('**3. Verify**, with either program.'),
      code(
        'sh',
        [
          `curl -O ${baseUrl}${verifierPath('verify-bundle.mjs')}`,
          'node verify-bundle.mjs invoice.svc-proof.json --trust trust.json',
        ].join('\n'),
      ),
      table(
        ['File', 'What it is', 'SHA-256'],
        verifierFiles.map(({ name, meaning, digest }) => [
          `[${name}](${verifierPath(name)})`,
          meaning,
          codeSpan(digest),
        ]),
      ),
      list(
        'Exit code 0: valid. 1: invalid. 2: the mathematics are right, but no key was pinned, so nobody vouches for the log.',
        '`--peer OTHER` compares with the bundle of the other party: both were shown one history. `--since OLD` compares with an older bundle: nothing was taken back. `--digest HEX` checks the digest, `--open OPENING` an opening that its holder handed over, `--json` answers JSON.',
        'A valid bundle says: these events, nothing shared or own withheld, complete as of the time in it. It does not say that nothing happened later: export again.',
        'The same head of a document gives the same bytes, for years. A bundle keeps verifying after a rotation of the keys of the log.',
        'Steps that only the other side may read are sealed: you learn that they exist, and when. A document of others behind a link is a sealed step as well.',
        'Keep the bundles that matter to you. A service whose operator put an older state of a document back, history and all, answers consistently until its auditor comes by; `--since` with your older bundle says ROLLBACK at once.',
        'What does not verify is not answered: 500 [integrity_failure](#errors-integrity_failure), and the document takes no writes until the operator has looked.',
      ),
    ],
  }
}
