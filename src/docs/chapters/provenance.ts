/** How to verify a proof without this service, and the programs that do it. */
import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Config } from '../../config.ts'
import { curl } from '../examples/curl.ts'
import { type Section, code, list, codeSpan, table, text } from '../blocks.ts'

/** A file of the published verifier, served byte for byte as it is in the repository. */
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
    'A single file for Node 18 or newer. The service itself verifies with it.',
  ),
  file(
    'verify_bundle.py',
    'text/x-python; charset=utf-8',
    'An independent implementation for Python 3.8 or newer, using only its standard library.',
  ),
  file(
    'witness.mjs',
    'text/javascript; charset=utf-8',
    'A witness of the log (C2SP tlog-witness), to run beside verify-bundle.mjs on a machine of yours.',
  ),
  file(
    'fraud-proof.mjs',
    'text/javascript; charset=utf-8',
    'Looks for a contradiction between two bundles, receipts or checkpoints, and writes a proof of it.',
  ),
  file(
    'FORMAT.md',
    'text/markdown; charset=utf-8',
    'The format byte by byte: enough to write a third implementation.',
  ),
]

export const verifierPath = (name: string): string => `/v1/docs/verifier/${name}`

const verification = (baseUrl: string) => {
  const get = (path: string) =>
    curl({ method: 'GET', url: `${baseUrl}${path}`, credential: 'API_KEY' })
  const download = `curl -O ${baseUrl}${verifierPath('verify-bundle.mjs')}`
  return {
    pin: `${get('/v1/log/keys')} > trust.json`,
    export: `${get('/v1/documents/$DOCUMENT_ID/export')} > invoice.svc-proof.json`,
    verify: `${download}\nnode verify-bundle.mjs invoice.svc-proof.json --trust trust.json`,
  }
}

/** The end of its guide: what no call of the service does. */
export const offlineVerification = (baseUrl: string, number: number): Section => ({
  id: 'guide-verify-a-proof-offline',
  title: `${number}. Verify it without the service`,
  blocks: [
    text(
      'Save the keys and the proof. The verifier is one file, and needs no network: it prints `VALID`. [Proofs](#provenance) says what that means, and how to compare proofs later.',
    ),
    {
      kind: 'tabs',
      tabs: [
        { label: 'curl', language: 'sh', text: Object.values(verification(baseUrl)).join('\n') },
        { label: 'CLI', language: 'sh', text: commands },
      ],
    },
  ],
})

const commands = `docex log keys --json > trust.json
docex documents export $DOCUMENT_ID > invoice.svc-proof.json
docex verify invoice.svc-proof.json --trust trust.json`

export const provenance = ({ baseUrl }: Config): Section => {
  const commandsOfCurl = verification(baseUrl)
  return {
    id: 'provenance',
    title: 'Proofs',
    blocks: [
      text(
        'Every change to a document is committed to a hash chain in the same transaction, and every link of the chain to a Merkle log with signed checkpoints. [History](#documents.history) and [lineage](#documents.lineage) are verified in full for every response. [Export](#documents.export) returns the proof as one file that anyone can verify, without this service and without a network.',
      ),
      text('**1. Pin the keys of the log.** Do this once and keep the file.'),
      code('sh', commandsOfCurl.pin),
      text('**2. Export the document.** `Svc-Bundle-Digest` is the SHA-256 of the exact bytes.'),
      code('sh', commandsOfCurl.export),
      text('**3. Verify the bundle** with either program.'),
      code('sh', commandsOfCurl.verify),
      table(
        ['File', 'Description', 'SHA-256'],
        verifierFiles.map(({ name, meaning, digest }) => [
          `[${name}](${baseUrl}${verifierPath(name)})`,
          meaning,
          codeSpan(digest),
        ]),
      ),
      list(
        'A PDF can carry its proof: [render](#documents.render) with `format=pdf&proof=1` attaches the bundle and prints its digest, and the verifiers take the PDF as it is. They prove the record in it. The pages are a drawing, which anyone can change: compare them with the record.',
        'Exit code 0 means valid and 1 invalid. Exit code 2 means that the proof is mathematically sound, but no key was pinned, so nobody vouches for the log.',
        '`--peer OTHER` compares the bundle with that of the other party: both were shown the same history. `--since OLD` compares it with an older bundle: nothing was taken back, and what was erased since has left all but free text behind. After the operator restored a backup, the log begins a new epoch under another name: keep the trust files of both epochs as `{"logs": [old, new]}`, and add `--epochs EPOCHS`, the response of [GET /v1/log/epochs](#log.epochs). `--digest HEX` checks the digest, `--open OPENING` checks an opening that its holder handed over, and `--json` prints JSON.',
        'The signatures in a bundle are exactly those of the keys that were in force, so it has one spelling. After the keys of the log were rotated, retrieve `/v1/log/keys` again: an old `trust.json` refuses what the new key signs as well.',
        'The operator can have the log cosigned by witnesses, which refuse a second history. Add those that you trust to the log in your trust file: `"witnesses": ["<verifier key>"], "quorum": 2, "witnessed_from_size": 0`. `node witness.mjs NAME FOLDER trust.json` is a witness of your own: tell the operator its verifier key and address.',
        'A party that [signs its requests](#signed-requests) proves what it did: add its public keys to the trust file as `"parties": {"org_…": {"keys": ["…"], "required": ["document.issued"]}}`, with the types of event that it must have signed. Take them from the party itself, not from this service.',
        'A body that was erased is named in the result, and its existence and place are still proven.',
        'A valid bundle proves the events in it, that no event that is shared or your own was withheld, and that it is complete as of the time in it. It says nothing about later changes: export again to include them.',
        'A lender is no party of the invoice that secures a loan. [Export an agreement](#finance.agreements.export) and verify that file in the same way: it proves that the invoice was approved, its balance and due date when it was pledged, and that no other pledge exists, and shows nothing else of the invoice.',
        'The same head of a document always exports to the same bytes, even years later. A bundle remains valid after the keys of the log are rotated.',
        'Steps that only the other side may read are sealed: you learn that they exist and when they happened. A linked document that belongs to others is a sealed step, too. In the lineage of a loan, the agreement is `disbursed_by`, `repaid_by` and `secured_by` other documents: the lender sees the pledged invoice as such a step, and its debtor sees neither the loan nor the lender.',
        'Keep the bundles that matter to you. If the operator restores an older state of a document together with its history, the service responds consistently until its auditor runs; `--since` with your older bundle reports ROLLBACK immediately.',
        'Keep the newest checkpoint of the log, too. `verify-bundle PROOF --consistency OLD NEW` checks, with the response of [GET /v1/log/consistency](#log.consistency), that a later checkpoint or bundle only adds to yours. If it does not, the operator has restored a backup and lost what came after it, or shows different logs to different readers.',
        'If `--peer` or `--since` reports that the log was another, `node fraud-proof.mjs ONE OTHER --trust trust.json --out proof.json` reduces the two bundles to two signed statements that cannot both be true. The proof shows nothing else of your document, and anybody with the keys of the log can verify it.',
        'A record that does not verify is never returned: the response is 500 [integrity_failure](#errors-integrity_failure), and the document accepts no writes until the operator has investigated.',
      ),
    ],
  }
}
