/**
 * Asks the witnesses of the logs to cosign a checkpoint before it is published (C2SP tlog-witness).
 * Their lines are frozen with it: a bundle has the first checkpoint that covers it for ever.
 */
import { limits } from '../contract/limits.ts'
import type { Outbound, OutboundClient } from '../outbound/client.ts'
import type { WitnessConfig, WitnessSettings } from '../startup/witness-setting.ts'
import { checkWitnesses, parseCheckpoint } from '../../verifier/verify-bundle.mjs'

/** The consistency proof from the tree of this size to the one that is cosigned. */
export type ProofFrom = (size: number) => Promise<readonly Buffer[]>

export interface Cosigned {
  /** The lines of those that answered in time, in the order of their names and ids. */
  lines: string
  count: number
  /** Why the others did not cosign. */
  failures: readonly string[]
}

export interface Witnesses {
  /** How many lines a published checkpoint has at least. */
  quorum: number
  cosign(note: string, proofFrom: ProofFrom): Promise<Cosigned>
}

/** Undefined without witnesses. */
export const openWitnesses = (
  { witnesses, quorum }: WitnessSettings,
  outbound: Pick<Outbound, 'client'>,
): Witnesses | undefined => {
  if (witnesses.length === 0) return undefined
  // The operator has set these addresses, which may be private ones.
  const clients = witnesses.map((witness) => ({
    witness,
    client: outbound.client(witness.url, { reach: 'private' }),
    cosignedSizes: new Map<string, number>(),
  }))
  return {
    quorum,
    cosign: async (note, proofFrom) => {
      const answers = await Promise.all(clients.map((one) => cosignature(one, note, proofFrom)))
      const lines = answers.flatMap((answer) => ('line' in answer ? [answer] : []))
      const failures = answers.flatMap((answer) => ('failure' in answer ? [answer.failure] : []))
      const sorted = lines.toSorted((a, b) => (a.place < b.place ? -1 : 1))
      return { lines: sorted.map(({ line }) => line).join(''), count: lines.length, failures }
    },
  }
}

interface WitnessClient {
  witness: WitnessConfig
  client: OutboundClient
  /** By origin: what it is likely to have cosigned last. */
  cosignedSizes: Map<string, number>
}

type Answer = { line: string; place: string } | { failure: string }

/** A witness that has cosigned another size says so, and is asked once more from there. */
const cosignature = async (
  one: WitnessClient,
  note: string,
  proofFrom: ProofFrom,
): Promise<Answer> => {
  const { witness, cosignedSizes } = one
  const { origin, size } = parseCheckpoint(note)
  let from = cosignedSizes.get(origin) ?? 0
  for (let attempt = 1; ; attempt += 1) {
    if (from > size) return failed(witness, `has cosigned ${from} leaves, and this log has ${size}`)
    const response = await one.client.send(
      addCheckpoint(witness, from, await proofFrom(from), note),
    )
    const { status, error } = response
    const body = response.body ?? ''
    if (status === 200) {
      const line = body.split('\n').find((text) => isCosignature(witness, note, `${text}\n`))
      if (line === undefined) return failed(witness, 'has not cosigned this checkpoint')
      cosignedSizes.set(origin, size)
      return { line: `${line}\n`, place: `${witness.name} ${witness.id}` }
    }
    const known = /^(0|[1-9]\d{0,15})\n$/.exec(body)?.[1]
    if (status !== 409 || known === undefined || attempt === 2) {
      return failed(witness, error ?? (status === 404 ? unknownLog(origin) : `answers ${status}`))
    }
    from = Number(known)
  }
}

/** C2SP tlog-witness: it answers 404 for an origin that it has no key of. */
const unknownLog = (origin: string): string =>
  `answers 404: give it the key of ${origin}, which GET /v1/log/keys answers`

const failed = ({ name }: WitnessConfig, failure: string): Answer => ({
  failure: `${name} ${failure}`,
})

const addCheckpoint = (
  { url }: WitnessConfig,
  from: number,
  proof: readonly Buffer[],
  note: string,
) => ({
  method: 'POST',
  path: `${new URL(url).pathname.replace(/\/$/, '')}/add-checkpoint`,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body: `old ${from}\n${proof.map((node) => `${node.toString('base64')}\n`).join('')}\n${note}`,
  bounds: {
    totalMs: limits.witnessTimeoutMs,
    responseMaxBytes: limits.witnessResponseMaxBytes,
    responseKeptBytes: limits.witnessResponseMaxBytes,
  },
})

/** As the published verifier checks it. */
const isCosignature = (witness: WitnessConfig, note: string, line: string): boolean => {
  try {
    const rule = { witnesses: [witness], quorum: 1, witnessedFrom: 0 }
    checkWitnesses(parseCheckpoint(note + line), rule)
    return true
  } catch {
    return false
  }
}
