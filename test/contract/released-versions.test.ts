/** 9.2 v1 changes additively: compares the current document with every released version. */
import assert from 'node:assert/strict'
import { readFile, readdir } from 'node:fs/promises'
import { test } from 'node:test'
import type { OpenApi } from '../../src/docs/openapi/openapi-types.ts'
import { breakingChanges } from '../support/contract/breaking-changes.ts'
import { currentOpenApi } from '../support/contract/openapi-edits.ts'

const folder = new URL('released/', import.meta.url)
const released = (await readdir(folder)).filter((name) => name.endsWith('.json'))

/** A version that the changelog calls unreleased may still grow under its number. */
const isUnreleased = async (name: string): Promise<boolean> => {
  const changelog = await readFile(new URL('../../CHANGELOG.md', import.meta.url), 'utf8')
  return changelog.includes(`## [${name.replace('.json', '')}] - Unreleased`)
}

test('9.2 nothing of a released version is removed, renamed, newly required or tightened', async () => {
  assert(released.length > 0, 'a released version exists')
  for (const name of released) {
    const older = JSON.parse(await readFile(new URL(name, folder), 'utf8')) as OpenApi
    const grows = await isUnreleased(name)
    const changes = breakingChanges(older, currentOpenApi()).filter(
      (change) => !(grows && /^version: still/.test(change)),
    )
    const advice = grows
      ? 'not released yet: if this is intended, say so in the commit and copy openapi.json there'
      : 'clients rely on it: find a way that only adds'
    assert.deepEqual(changes, [], `against ${name}, ${advice}`)
  }
})
