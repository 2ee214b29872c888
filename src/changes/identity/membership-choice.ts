/** Chooses the organization for which a session of a user is opened. */
import { refuse } from '../../contract/errors.ts'
import { encodeId } from '../../core/ids.ts'
import type { Membership } from '../../store/identity/users.ts'

/** The requested membership; else the last used one, a sandbox, or the oldest (contract 11). */
export const chooseMembership = (
  memberships: readonly Membership[],
  organization: string | undefined,
): Membership => {
  const named = memberships.filter((one) => one.organization_id === organization)
  if (organization !== undefined && named.length === 0) {
    const id = encodeId('org', organization)
    const message = `There is no organization ${id} for this user.`
    throw refuse('not_found', message, { resource: 'organization', id })
  }
  const eligible = organization === undefined ? memberships : named
  const open = eligible.filter((one) => !one.is_suspended)
  const chosen = lastUsed(open) ?? open.find((one) => one.mode === 'test') ?? open[0]
  if (chosen !== undefined) return chosen
  const reason = eligible.length === 0 ? 'no_organization' : 'organization_suspended'
  throw refuse('capability_unavailable', noMembershipMessages[reason], {
    capability: 'sign_in',
    reason,
  })
}

const lastUsed = (memberships: readonly Membership[]): Membership | undefined =>
  memberships
    .filter(({ last_used_at: at }) => at !== null)
    .reduce<Membership | undefined>(
      (last, one) => (last !== undefined && last.last_used_at! >= one.last_used_at! ? last : one),
      undefined,
    )

const noMembershipMessages = {
  no_organization: 'This user acts for no organization. Ask an operator to add one.',
  organization_suspended: 'The organization is suspended. Ask the operator of the service why.',
}
