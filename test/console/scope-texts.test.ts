/** How the console names what a key may do. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scopesText } from '../../console/src/keys/scope-texts.ts'
import type { Scope } from '../../src/contract/scopes.ts'

const cases: readonly (readonly [readonly Scope[], string])[] = [
  [['payments:read', 'documents:read'], 'Read'],
  [['documents:write', 'documents:read', 'payments:read', 'payments:write'], 'Pay'],
  [['keys:manage'], 'Keys: manage'],
  [
    ['documents:write', 'documents:read', 'payments:read', 'payments:write', 'treasury:read'],
    'Documents, payments: read, write; treasury: read',
  ],
]

for (const [scopes, text] of cases)
  test(`${scopes.join(', ')} is shown as ${text}`, () => {
    assert.equal(scopesText(scopes), text)
  })
