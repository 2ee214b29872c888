/**
 * Gives an account to the owner of its e-mail address. Whoever has a link of an invitation opens an
 * account under any address; nobody has verified such an address (contract 12), and an operator who
 * grants something to it means its owner.
 */
import type { Queryable } from '../../database/sql.ts'
import { openSessionsOf } from '../../store/identity/sessions.ts'
import { identitiesOf, removeIdentity } from '../../store/identity/user-identities.ts'
import { type UserRow, setEmailVerified, setPasswordHash } from '../../store/identity/users.ts'
import { removeAllFactors } from './second-factors.ts'
import { revokeSession } from './sessions.ts'

/** Takes away every way to sign in that somebody else may have, and sets the password. */
export const giveToOwner = async (
  tx: Queryable,
  { id, second_factor_since: hasSecondFactor }: UserRow,
  passwordHash: string,
): Promise<void> => {
  if (hasSecondFactor !== null) await removeAllFactors(tx, id)
  for (const { issuer } of await identitiesOf(tx, id)) await removeIdentity(tx, id, issuer)
  const all = { before: undefined, limit: 100 }
  let open = await openSessionsOf(tx, id, all)
  while (open.length > 0) {
    for (const session of open) await revokeSession(tx, id, session.id)
    open = await openSessionsOf(tx, id, all)
  }
  await setPasswordHash(tx, id, passwordHash)
  await setEmailVerified(tx, id)
}
