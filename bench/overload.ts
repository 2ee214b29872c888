/**
 * Overload: 2,000 connections create documents as fast as they are answered, and pause after a 503
 * for as long as Retry-After says. What is accepted is compared with the rate of 64 connections;
 * refusals, and the reads of one connection beside them, must stay quick.
 */
import { encodeId } from '../src/core/ids.ts'
import { load, request } from './bench-server.ts'
import { addResult, flags, isSelected, round2 } from './rows.ts'
import { idOf } from './seed.ts'

export const compareOverload = async (
  port: number,
  workload: { readerKey: string; creates: string[][] },
): Promise<void> => {
  if (!isSelected('overload')) return
  const seconds = flags.quick ? 4 : 10
  const before = await overload(port, workload, { connections: 64, seconds })
  const during = await overload(port, workload, { connections: 2_000, seconds })
  const add = (name: string, unit: string, [ours, limit]: [number, number]) =>
    addResult(
      { name, unit, ours: round2(ours), limit: round2(limit), ratio: round2(ours / limit) },
      '',
    )
  add('overload.accepted', '/s', [during.acceptedPerSecond, before.acceptedPerSecond])
  add('overload.refusal', 'ms p99', [during.refusedP99Ms, 100])
  add('overload.read', 'ms p99', [during.readP99Ms, 250])
  if (during.refusedCount === 0) throw new Error('2,000 connections are no overload')
}

interface OverloadResult {
  acceptedPerSecond: number
  refusedCount: number
  refusedP99Ms: number
  readP99Ms: number
}

const overload = async (
  port: number,
  { readerKey, creates }: { readerKey: string; creates: string[][] },
  { connections, seconds }: { connections: number; seconds: number },
): Promise<OverloadResult> => {
  const path = `/v1/documents/${encodeId('doc', idOf('document65'))}`
  const options = { port, seconds, rampSeconds: 2 }
  const [created, read] = await Promise.all([
    load({
      ...options,
      connections,
      requests: creates,
      expectedStatus: 201,
      pauseAfterRefusalMs: 1_000,
    }),
    load({
      ...options,
      connections: 1,
      requests: [[request('GET', path, readerKey)]],
      expectedStatus: 200,
    }),
  ])
  const { perSecond: acceptedPerSecond, refusedCount, refusedP99Ms } = created
  return { acceptedPerSecond, refusedCount, refusedP99Ms, readP99Ms: read.p99Ms }
}
