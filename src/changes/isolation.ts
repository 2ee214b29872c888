/**
 * Sandbox and live are kept apart (contract 2 and 11): a record of the caller's own organization in
 * the other mode is refused by name; anyone else's does not exist. «Own» means one owner: a
 * practice organization and the organization it was provisioned for.
 */
import { type Refusal, refuse } from '../contract/errors.ts'
import type { World } from '../engine/world.ts'

export const haveOneOwner = (world: World, one: string, other: string): boolean =>
  one !== other &&
  (world.get('organizations', one)?.sandbox_of === other ||
    world.get('organizations', other)?.sandbox_of === one)

export const isolated = (): Refusal =>
  refuse(
    'sandbox_isolation',
    'The record lives in the other environment of the same owner: a live record takes a live credential (rk_live_…), a sandbox record one of the sandbox (rk_test_…).',
  )
