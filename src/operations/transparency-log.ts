/** The log of the caller's environment: keys, newest checkpoint, proofs that it only grows. */
import { Type } from 'typebox'
import type { Call } from '../context.ts'
import { invalidRequest, refuse } from '../contract/errors.ts'
import { LogCheckpoint, LogConsistency, LogKeys } from '../contract/shapes/provenance.ts'
import { attributeFailure, failClosed } from '../changes/provenance/verified-record.ts'
import {
  LogFailure,
  type LogSnapshot,
  withLogSnapshot,
  verifiedCheckpoint,
} from '../changes/provenance/verified-log.ts'
import type { StoredCheckpoint } from '../core/provenance/inclusion.ts'
import {
  consistencyNodes,
  proofHashes,
  rootNodes,
  rootHash,
} from '../core/provenance/merkle-tree.ts'
import { nodeHashes } from '../store/provenance/tiles.ts'
import { isConsistent } from '../../verifier/verify-bundle.mjs'
import { operation } from './operation.ts'

const common = {
  family: 'provenance',
  since: '1.15.0',
  allowed: 'scoped',
  scopes: ['provenance:read'],
  method: 'GET',
} as const

export const keys = operation({
  ...common,
  id: 'log.keys',
  path: '/v1/log/keys',
  summary: "Read the log's keys",
  description:
    "The public keys that sign the log of your environment. Save the answer as the verifier's `trust.json`, once, from a place that you trust.",
  response: LogKeys,
}).reads(async ({ context, organization }) => {
  const log = await context.notary.log(organization.mode)
  return {
    body: {
      origin: log.origin,
      keys: log.keys.map(({ vkey }) => vkey),
      windows: Object.fromEntries(
        log.keys.map(({ vkey, from_size, until_size }) => [vkey, { from_size, until_size }]),
      ),
    },
  }
})

/** What `work` makes of the newest checkpoint, which is the one that there has to be. */
const withLatestCheckpoint = <T>(
  { context, organization }: Call,
  work: (checkpoint: StoredCheckpoint, moment: LogSnapshot) => Promise<T>,
): Promise<T> =>
  failClosed(context, () =>
    withLogSnapshot(context, organization.mode, (moment) =>
      attributeFailure(undefined, async () => {
        const checkpoint = await verifiedCheckpoint(moment, context)
        if (checkpoint !== undefined) return work(checkpoint, moment)
        throw refuse(
          'service_unavailable',
          'The log has no checkpoint yet. Ask again in a second.',
          { reason: 'provenance_pending' },
          { retryAfterSeconds: 1 },
        )
      }),
    ),
  )

export const checkpoint = operation({
  ...common,
  id: 'log.checkpoint',
  path: '/v1/log/checkpoint',
  summary: 'Read the newest checkpoint',
  description:
    'A C2SP checkpoint: origin, size and root of the log, signed. Keep the last one that you saw; with `/v1/log/consistency` you can tell that the log only ever grew.',
  response: LogCheckpoint,
  errors: ['service_unavailable', 'integrity_failure'],
}).reads((call) => withLatestCheckpoint(call, async ({ note }) => ({ body: { checkpoint: note } })))

const Size = (description: string) =>
  Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description })

export const consistency = operation({
  ...common,
  id: 'log.consistency',
  path: '/v1/log/consistency',
  summary: 'Prove that the log only grew',
  query: Type.Object(
    {
      from: Size('Size of the log that you know.'),
      to: Size('Size of a newer checkpoint.'),
    },
    { additionalProperties: false },
  ),
  response: LogConsistency,
  errors: ['service_unavailable', 'integrity_failure'],
}).reads((call, { query: { from, to } }) =>
  withLatestCheckpoint(call, async (checkpoint, { tx, log }) => {
    const size = Number(checkpoint.size)
    if (from > to) {
      const message = `The log of ${from} leaves is not older than that of ${to}.`
      throw invalidRequest([
        { param: 'from', code: 'out_of_range', message, fix: 'send from ≤ to' },
      ])
    }
    if (to > size) {
      const message = `The newest checkpoint covers ${size} leaves.`
      throw invalidRequest([
        { param: 'to', code: 'out_of_range', message, fix: `send at most ${size}` },
      ])
    }
    const [proofNodes, rest] = [consistencyNodes(from, to), consistencyNodes(to, size)]
    const nodes = [...proofNodes, ...rest, rootNodes(from), rootNodes(to)].flat()
    const hashAt = await nodeHashes(tx, log.id, nodes, call.context.tileTree)
    const [older, newer] = [rootHash(from, hashAt), rootHash(to, hashAt)]
    const proof = proofHashes(proofNodes, hashAt)
    // Neither root need have been signed: both lead to the one that was.
    const holds =
      isConsistent(from, to, older, newer, proof) &&
      isConsistent(to, size, newer, checkpoint.root, proofHashes(rest, hashAt))
    if (!holds) throw new LogFailure('CONSISTENCY', 'the tree is not the one that was signed')
    return { body: { from, to, proof: proof.map((node) => node.toString('hex')) } }
  }),
)
