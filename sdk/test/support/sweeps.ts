/** Sweeps by changes() of both SDKs, one after the other, beside those who write. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Docex } from '../../src/index.ts'

export type Swept = 'documents' | 'payments'

/** A row that a sweep has told, and where the sweep began. */
export interface Told {
  id: string
  /** Payments have none: each of their changes has its own time. */
  revision?: number
  updated_at: string
  since: string
}

export interface Sweeps {
  /** Grows until the end. */
  told: readonly Told[]
  /** Says that all is written: a sweep that begins from now on is the last one. */
  written(): void
  ended: Promise<void>
}

const start = '2020-01-01T00:00:00Z'

export const sweepsOfTypescript = (docex: Docex, swept: Swept, limit: number): Sweeps => {
  const told: Told[] = []
  let isWritten = false
  const sweeps = async (): Promise<void> => {
    let since = start
    for (let isLast = false; !isLast;) {
      isLast = isWritten
      const begin = since
      for await (const row of docex[swept].changes({ since, limit })) {
        told.push({ ...named(row), since: begin })
        since = row.updated_at
      }
    }
  }
  return { told, written: () => void (isWritten = true), ended: sweeps() }
}

const named = (row: Omit<Told, 'since'>): Omit<Told, 'since'> => {
  const { id, updated_at } = row
  return row.revision === undefined
    ? { id, updated_at }
    : { id, updated_at, revision: row.revision }
}

const python = (swept: Swept, limit: number): string => `
import json, select, sys
from docex import Docex
docex, since, last = Docex(timeout=60), "${start}", False
while not last:
    last = bool(select.select([sys.stdin], [], [], 0)[0])
    begin = since
    for row in docex.${swept}.changes(since, limit=${limit}):
        since = row["updated_at"]
        told = {name: row[name] for name in ("id", "revision", "updated_at") if name in row}
        print(json.dumps({"since": begin, **told}), flush=True)
`

/** The same; the end of its input says that all is written. */
export const sweepsOfPython = (
  settings: { apiKey: string; baseUrl: string },
  swept: Swept,
  limit: number,
): Sweeps => {
  const program = spawn('python3', ['-W', 'error', '-c', python(swept, limit)], {
    cwd: fileURLToPath(new URL('../../../sdk-python', import.meta.url)),
    env: {
      PATH: process.env['PATH'],
      PYTHONDONTWRITEBYTECODE: '1',
      DOCEX_API_KEY: settings.apiKey,
      DOCEX_BASE_URL: settings.baseUrl,
    },
  })
  const told: Told[] = []
  const lines = createInterface(program.stdout)
  lines.on('line', (line) => told.push(JSON.parse(line) as Told))
  let complaints = ''
  program.stderr.on('data', (text: Buffer) => (complaints += text.toString()))
  const ended = async (): Promise<void> => {
    const [[code]] = await Promise.all([once(program, 'close'), once(lines, 'close')])
    assert.equal(code, 0, complaints)
  }
  return { told, written: () => void program.stdin.end(), ended: ended() }
}

/** Whether a row has come at two of its changes, so that the sweeps run beside the writers. */
export const haveFollowed = ({ told }: Sweeps): boolean =>
  new Set(told.map(({ id, updated_at }) => `${id} ${updated_at}`)).size >
  new Set(told.map(({ id }) => id)).size

/**
 * Holds that the sweeps told the newest change of each row. A row comes again without a change only
 * at the beginning of the next sweep, which includes its last instant.
 */
export const assertExact = (
  told: readonly Told[],
  newest: readonly Omit<Told, 'since'>[],
): void => {
  const seen = new Map<string, Told>()
  for (const one of told) {
    const before = seen.get(one.id)
    const both = JSON.stringify([before, one])
    if (before?.updated_at === one.updated_at) assert.equal(one.updated_at, one.since, both)
    else if (before !== undefined) {
      assert(before.updated_at < one.updated_at, both)
      if (one.revision !== undefined) assert(before.revision! < one.revision, both)
    }
    seen.set(one.id, one)
  }
  assert.deepEqual(
    new Map([...seen].map(([id, { updated_at }]) => [id, updated_at])),
    new Map(newest.map(({ id, updated_at }) => [id, updated_at])),
  )
}
