/** Changes that read sealed rows of which no response tells. */
import type { Connection } from '../../../src/database/sql.ts'
import { claimNotices } from '../../../src/changes/notices/claim-notices.ts'
import { BrokenSeal } from '../../../src/database/row-seals.ts'
import { consumeSignInLink } from '../../../src/store/identity/sign-in-links.ts'
import { userByIdentity } from '../../../src/store/identity/user-identities.ts'
import { connectProcessor } from '../../../src/store/payments/processors.ts'

interface Untold {
  organization: string
  link: string
  identity: { issuer: string; subject: string }
}

/** The elements of what they have found. */
export const changeUntold = async (
  tx: Connection,
  { organization, link, identity }: Untold,
): Promise<object> => {
  const references = { customer: 'cus_new', paymentMethods: '{}', payout: 'acct_new' }
  await connectProcessor(tx, organization, references)
  const known = await userByIdentity(tx, identity)
  const user = await consumeSignInLink(tx, tx.seals.credentialMacs(link))
  const { claims, broken } = await claimNotices(tx)
  if (broken.length > 0) throw new BrokenSeal('notices', broken[0]!)
  const told = claims.map(({ kind, subject_id, email }) => ({ kind, subject_id, email }))
  const signedIn = [
    ...(known === undefined ? [] : [{ identity: known.id }]),
    ...(user === undefined ? [] : [{ user }]),
  ]
  return { data: [...signedIn, ...told] }
}
