/** The numbers of a log's epochs (FORMAT.md, section 11): both verifiers agree. Needs python3. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { streamOf } from '../../src/core/provenance/history-event.ts'
import { canonical } from '../../verifier/verify-bundle.mjs'
import { sortedJson } from '../support/provenance/mutated-bundles.ts'
import { naivePath } from '../support/provenance/naive-tree.ts'
import {
  SyntheticLog,
  deterministicBytes,
  digest,
  signingKeyOf,
  syntheticBundle,
  syntheticDocument,
} from '../support/provenance/synthetic-log.ts'
import { temporaryFile, verifyWithBoth } from '../support/provenance/verifiers.ts'

const document = syntheticDocument()

/** The first leaf of an epoch, and the same document logged behind it. */
const epochAfter = (previous: string, number: string) => {
  const salt = '00'.repeat(16)
  const body = { previous, type: 'log.epoch_begun' }
  const none = deterministicBytes('another slot', 32).toString('hex')
  const shared = digest('svc-slot/1\n', Buffer.from(salt, 'hex'), canonical(body)).toString('hex')
  const header = {
    at: '2026-11-01T00:00:00.000Z',
    c: { counterparty: none, finance: none, issuer: none, shared },
    prev: null,
    seq: 1,
    stream: streamOf(Buffer.alloc(16), `log_live/${number}`),
    v: 'svc-event/2',
  }
  const log = new SyntheticLog()
  log.leaves.push(digest(Buffer.of(0), canonical(header)))
  return { log: log.add(...document.events), header, open: { shared: { body, salt } } }
}

/** Whether the bundle of one epoch is older than that of the other. */
const checkBetween = (before: string, after: string): string | undefined => {
  const [old, now] = [before, after].map((number) => `forge.example/log/live/${number}`)
  const [oldKeys, keys] = [[signingKeyOf('key', old!)], [signingKeyOf('key', now!)]]
  const ended = new SyntheticLog().add(...document.events)
  const { log, header, open } = epochAfter(ended.checkpoint(undefined, oldKeys, old), after)
  const size = log.leaves.length
  const epochs = {
    checkpoint: log.checkpoint(size, keys, now),
    epochs: [
      {
        header,
        log: { index: 0, path: naivePath(0, log.leaves).map((node) => node.toString('hex')) },
        open,
      },
    ],
    format: 'svc-epochs/1',
  }
  const newer = temporaryFile(syntheticBundle(document, log, { origin: now!, keys }))
  const older = temporaryFile(syntheticBundle(document, ended, { origin: old!, keys: oldKeys }))
  const file = temporaryFile(sortedJson(epochs))
  return verifyWithBoth([[newer, '--since', older, '--epochs', file]])[0]!.check
}

for (const [before, after, check] of [
  ['1', '2', undefined],
  ['9', '10', undefined],
  ['2', '2', 'ORIGIN'],
  ['10', '9', 'ORIGIN'],
  ['01', '2', 'ORIGIN'],
  ['0', '2', 'ORIGIN'],
  ['1', '02', 'STREAM'],
  ['9007199254740992', '9007199254740993', undefined],
  ['9007199254740993', '9007199254740992', 'ORIGIN'],
  ['9'.repeat(16), `1${'0'.repeat(16)}`, 'ORIGIN'],
] as const) {
  test(`provenance 8: ${after} ${check ? 'does not follow' : 'follows'} epoch ${before}`, () => {
    assert.equal(checkBetween(before, after), check)
  })
}
