/** The transparency log of the caller's environment: keys, checkpoints and consistency proofs. */
import { Type } from 'typebox'
import type { Call } from '../../context.ts'
import { invalidRequest } from '../../contract/errors.ts'
import {
  LogCheckpoint,
  LogConsistency,
  LogEpochs,
  LogKeys,
} from '../../contract/shapes/provenance.ts'
import {
  LogFailure,
  type LogSnapshot,
  verifiedCheckpoint,
} from '../../changes/provenance/verified-log.ts'
import { attributeFailure } from '../../changes/provenance/integrity-failure.ts'
import type { StoredCheckpoint } from '../../core/provenance/inclusion.ts'
import {
  consistencyNodes,
  proofHashes,
  rootNodes,
  rootHash,
} from '../../core/provenance/merkle-tree.ts'
import { nodeHashes } from '../../store/provenance/tiles.ts'
import { epochProof } from '../../changes/provenance/epoch-proof.ts'
import { isConsistent } from '../../../verifier/verify-bundle.mjs'
import { operation } from '../operation.ts'
import { JsonText } from '../reply-bodies.ts'
import { provenancePending, readVerified } from './logged-events.ts'

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
  summary: 'Retrieve the log keys',
  description:
    'Returns the public keys that sign the log of your environment. Save the response once, from a network that you trust, as the `trust.json` of the verifier.',
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

/** Runs `work` with the newest checkpoint, after verifying that it is the expected one. */
const withLatestCheckpoint = <T>(
  call: Call,
  work: (checkpoint: StoredCheckpoint, snapshot: LogSnapshot) => Promise<T>,
): Promise<T> =>
  readVerified(call, (snapshot) =>
    attributeFailure(undefined, async () => {
      const checkpoint = await verifiedCheckpoint(snapshot, call.context)
      if (checkpoint !== undefined) return work(checkpoint, snapshot)
      throw provenancePending('The log has no checkpoint yet.')
    }),
  )

export const checkpoint = operation({
  ...common,
  id: 'log.checkpoint',
  path: '/v1/log/checkpoint',
  summary: 'Retrieve the newest checkpoint',
  description:
    'Returns a C2SP checkpoint: the signed origin, size and root of the log. Keep the last checkpoint that you have seen; with [log.consistency](#log.consistency) you can prove that the log has only grown since.',
  response: LogCheckpoint,
  errors: ['service_unavailable', 'integrity_failure'],
}).reads((call) => withLatestCheckpoint(call, async ({ note }) => ({ body: { checkpoint: note } })))

export const epochs = operation({
  ...common,
  id: 'log.epochs',
  path: '/v1/log/epochs',
  summary: 'Prove that the log continues its earlier epochs',
  description:
    'A log whose database was restored from a backup begins a new epoch under another name. Its first leaf holds the last checkpoint of the epoch before. `--epochs` of the verifier takes this response, so that `--since` can compare bundles of two epochs.',
  response: LogEpochs,
  errors: ['service_unavailable', 'integrity_failure'],
}).reads((call) =>
  withLatestCheckpoint(call, async (checkpoint, snapshot) => ({
    body: new JsonText(await epochProof(snapshot, call.context, checkpoint)),
  })),
)

const Size = (description: string) =>
  Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description })

export const consistency = operation({
  ...common,
  id: 'log.consistency',
  path: '/v1/log/consistency',
  summary: 'Prove that the log has only grown',
  query: Type.Object(
    {
      from: Size('The log size of the older checkpoint.'),
      to: Size('The log size of the newer checkpoint.'),
    },
    { additionalProperties: false },
  ),
  response: LogConsistency,
  errors: ['service_unavailable', 'integrity_failure'],
}).reads((call, { query: { from, to } }) =>
  withLatestCheckpoint(call, async (checkpoint, { tx, log }) => {
    const size = Number(checkpoint.size)
    if (from > to) {
      const message = `A log of ${from} leaves is not older than one of ${to}.`
      throw invalidRequest({
        param: 'from',
        code: 'out_of_range',
        message,
        fix: 'send a from of at most to',
      })
    }
    if (to > size) {
      const message = `The newest checkpoint covers ${size} leaves.`
      throw invalidRequest({
        param: 'to',
        code: 'out_of_range',
        message,
        fix: `send at most ${size}`,
      })
    }
    const [proofNodes, signedNodes] = [consistencyNodes(from, to), consistencyNodes(to, size)]
    const nodes = [...proofNodes, ...signedNodes, rootNodes(from), rootNodes(to)].flat()
    const hashAt = await nodeHashes(tx, log.id, nodes, call.context.tileTree)
    const [older, newer] = [rootHash(from, hashAt), rootHash(to, hashAt)]
    const proof = proofHashes(proofNodes, hashAt)
    // Either root may be unsigned, so both are checked against the signed one.
    const isValid =
      isConsistent(from, to, older, newer, proof) &&
      isConsistent(to, size, newer, checkpoint.root, proofHashes(signedNodes, hashAt))
    if (!isValid) throw new LogFailure('CONSISTENCY', 'the tree is not the one that was signed')
    return { body: { from, to, proof: proof.map((node) => node.toString('hex')) } }
  }),
)
