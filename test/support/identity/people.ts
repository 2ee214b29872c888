/** People who sign in, and the organizations for which they act. */
import { randomBytes } from 'node:crypto'
import { createOrganization } from '../../../src/changes/identity/organizations.ts'
import { addMembership, createUser } from '../../../src/changes/identity/users.ts'
import type { Role } from '../../../src/contract/roles.ts'
import { encodeId } from '../../../src/core/ids.ts'
import type { Connection } from '../../../src/database/sql.ts'
import { inTurn } from '../database/in-turn.ts'

export type MembershipOptions = { mode?: 'live' | 'test'; role?: Role; verified?: boolean }

/** A user who joined these organizations in this order. */
export const aPersonWith = async (
  database: Connection,
  {
    memberships = [{}],
    passwordHash,
  }: { memberships?: readonly MembershipOptions[] | undefined; passwordHash: string },
) => {
  const email = `${randomBytes(6).toString('hex')}@example.com`
  const userId = await createUser(database, { email, name: 'Ada', passwordHash })
  const organizations: string[] = []
  for (const { mode = 'test', role = 'owner', verified = true } of memberships) {
    const name = `Organization ${organizations.length + 1}`
    const id = await inTurn(database, async (tx) => {
      const created = await createOrganization(tx, { name, mode, verified, currency: 'USD' })
      await addMembership(tx, { user: userId, organization: created, role })
      return created
    })
    organizations.push(encodeId('org', id))
  }
  return { email, userId, organizations }
}
