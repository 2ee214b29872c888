/**
 * Feed positions, numbers and change times of an organization: taken from its locked head, so that
 * position order is commit order and a refused write consumes nothing.
 */
import assert from 'node:assert/strict'
import type { World } from '../engine/unit-of-work.ts'
import type { Rows } from '../database/rows.ts'

const headOf = (world: World, organization: string): Rows['organization_heads'] => {
  const head = world.get('organization_heads', organization)
  assert(head, 'the heads of every organization that sees the change are locked')
  return head
}

/** One change time for all who see it; it never runs backwards for any of them. */
export const changeTime = (world: World, organizations: readonly string[]): string => {
  const times = organizations.map((organization) => headOf(world, organization).changed_at)
  const at = [world.now, ...times].reduce((latest, time) => (time > latest ? time : latest))
  for (const organization of organizations) {
    world.save('organization_heads', { ...headOf(world, organization), changed_at: at })
  }
  return at
}

export const nextPosition = (world: World, organization: string): bigint => {
  const head = headOf(world, organization)
  const feed = head.feed + 1n
  world.save('organization_heads', { ...head, feed })
  return feed
}

/** `INV-000042`: gapless per organization and prefix (domain 1). */
export const nextNumber = (world: World, organization: string, prefix: string): string => {
  const head = headOf(world, organization)
  const numbers = JSON.parse(head.numbers) as Record<string, number>
  const next = (numbers[prefix] ?? 0) + 1
  world.save('organization_heads', {
    ...head,
    numbers: JSON.stringify({ ...numbers, [prefix]: next }),
  })
  return `${prefix}-${String(next).padStart(6, '0')}`
}
