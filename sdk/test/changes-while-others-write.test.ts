/**
 * changes() of both SDKs, followed while both sides of a connection write: no change is missed, and
 * none is told twice. LONG=1 makes 10,000 changes.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { aPair, exampleLine } from '../../test/support/fixtures.ts'
import { startTestService } from '../../test/support/test-service.ts'
import { Docex } from '../src/index.ts'

const isLong = process.env['LONG'] === '1'
/** Each round of a writer is two changes that the issuer sees. */
const { rounds, inFlight, limit } = isLong
  ? { rounds: 2_500, inFlight: 8, limit: 50 }
  : { rounds: 25, inFlight: 1, limit: 3 }

const running = await startTestService()
const pair = await aPair(running)
const settings = { apiKey: pair.issuer.key, baseUrl: running.baseUrl }
const reader = new Docex(settings)

const body = {
  connection_id: pair.connection,
  document_type: 'invoice',
  line_items: [exampleLine],
} as const

/** A row that a sweep has told, and where the sweep began. */
interface Told {
  id: string
  revision: number
  updated_at: string
  since: string
}

/** In our own drafts: created and updated. */
const ownRound = async (docex: Docex): Promise<void> => {
  const { id } = await docex.documents.create(body)
  await docex.documents.update(id, { notes: 'Changed.' })
}

/** In what the other side sends: issued and cancelled. */
const theirRound = async (docex: Docex): Promise<void> => {
  const { id } = await docex.documents.create(body)
  await docex.documents.issue(id)
  await docex.documents.transition(id, { to: 'cancelled' })
}

const write = async (key: string, round: (docex: Docex) => Promise<void>): Promise<void> => {
  const docex = new Docex({ ...settings, apiKey: key })
  let begun = 0
  const chain = async (): Promise<void> => {
    while (begun < rounds) {
      begun += 1
      await round(docex)
    }
  }
  await Promise.all(Array.from({ length: inFlight }, chain))
}

const start = '2020-01-01T00:00:00Z'

/** One sweep after the other, until one has begun after the last write. */
const sweepsOfTypescript = async (isWritten: () => boolean): Promise<Told[]> => {
  const told: Told[] = []
  let since = start
  for (let isLast = false; !isLast;) {
    isLast = isWritten()
    const begin = since
    for await (const { id, revision, updated_at } of reader.documents.changes({ since, limit })) {
      told.push({ id, revision, updated_at, since: begin })
      since = updated_at
    }
  }
  return told
}

const python = `
import json, select, sys
from docex import Docex
docex, since, last = Docex(timeout=60), "${start}", False
while not last:
    last = bool(select.select([sys.stdin], [], [], 0)[0])
    begin = since
    for row in docex.documents.changes(since, limit=${limit}):
        since = row["updated_at"]
        told = {name: row[name] for name in ("id", "revision", "updated_at")}
        print(json.dumps({"since": begin, **told}))
`

/** The same; the end of its input says that all is written. */
const sweepsOfPython = (): { written(): void; told: Promise<Told[]> } => {
  const program = spawn('python3', ['-W', 'error', '-c', python], {
    cwd: fileURLToPath(new URL('../../sdk-python', import.meta.url)),
    env: {
      ...{ PATH: process.env['PATH'], PYTHONDONTWRITEBYTECODE: '1' },
      ...{ DOCEX_API_KEY: pair.issuer.key, DOCEX_BASE_URL: running.baseUrl },
    },
  })
  let [output, complaints] = ['', '']
  program.stdout.on('data', (text: Buffer) => (output += text.toString()))
  program.stderr.on('data', (text: Buffer) => (complaints += text.toString()))
  const ended = async (): Promise<Told[]> => {
    const [code] = (await once(program, 'close')) as [number | null]
    assert.equal(code, 0, complaints)
    return output
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Told)
  }
  return { written: () => void program.stdin.end(), told: ended() }
}

/** A row comes again only at the beginning of the next sweep, which includes its last instant. */
const assertExact = (told: readonly Told[], revisions: ReadonlyMap<string, number>): void => {
  const seen = new Map<string, Told>()
  for (const one of told) {
    const before = seen.get(one.id)
    if (before?.revision === one.revision) assert.equal(one.updated_at, one.since)
    else assert((before?.revision ?? 0) < one.revision, JSON.stringify([before, one]))
    seen.set(one.id, one)
  }
  const newest = new Map([...seen].map(([id, { revision }]) => [id, revision]))
  assert.equal(newest.size, revisions.size)
  for (const [id, revision] of revisions) assert.equal(newest.get(id), revision, id)
}

const timeout = isLong ? 30 * 60_000 : 60_000

test('changes() misses nothing while both sides write', { timeout }, async (context) => {
  let isWritten = false
  const fromPython = sweepsOfPython()
  const fromTypescript = sweepsOfTypescript(() => isWritten)
  const begun = performance.now()
  await Promise.all([write(pair.issuer.key, ownRound), write(pair.counterparty.key, theirRound)])
  const seconds = (performance.now() - begun) / 1000
  isWritten = true
  fromPython.written()
  const revisions = new Map<string, number>()
  for await (const { id, revision } of reader.documents.list({ limit: 100 })) {
    revisions.set(id, revision)
  }
  assert.equal(revisions.size, rounds * 2)
  for (const [language, told] of [
    ['TypeScript', await fromTypescript],
    ['Python', await fromPython.told],
  ] as const) {
    assertExact(told, revisions)
    const sweeps = new Set(told.map(({ since }) => since)).size
    // Documents came at several revisions, so the sweeps ran beside the writers.
    assert(told.length > revisions.size * 1.5, `${language}: ${told.length}`)
    context.diagnostic(`${language}: ${told.length} rows in ${sweeps} sweeps`)
  }
  context.diagnostic(`${rounds * 4} changes in ${seconds.toFixed(1)} s`)
})
