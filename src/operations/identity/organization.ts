/** The calling organization and its profile (contract 12). */
import type { Call } from '../../context.ts'
import { refuseProblems } from '../../contract/errors.ts'
import {
  Organization,
  OrganizationUpdate,
  type Profile,
} from '../../contract/shapes/organization.ts'
import { currentProfile, updateProfile } from '../../changes/identity/organization-profile.ts'
import { profileProblems } from '../../core/identity/organization-profile.ts'
import { encodeId } from '../../core/ids.ts'
import { operation } from '../operation.ts'
import { checkLogo } from './logo.ts'

const viewOf = ({ organization: { id, name, mode, isVerified } }: Call, profile: Profile) => ({
  id: encodeId('org', id),
  name,
  mode: mode === 'live' ? ('live' as const) : ('sandbox' as const),
  verified: isVerified,
  profile,
})

const organizationDefaults = { family: 'documents', since: '1.16.0' } as const

export const get = operation({
  ...organizationDefaults,
  id: 'organization.get',
  method: 'GET',
  path: '/v1/organization',
  summary: 'Retrieve the organization',
  description: 'With the profile that exports of its documents show.',
  allowed: 'scoped',
  scopes: ['documents:read'],
  response: Organization,
}).reads(async (call) => ({
  body: viewOf(call, await currentProfile(call.read, call.organization.id)),
}))

export const update = operation({
  ...organizationDefaults,
  id: 'organization.update',
  workClass: 'credentials',
  method: 'PATCH',
  path: '/v1/organization',
  summary: 'Change the profile',
  description:
    'Documents issued from now on show it; those issued before keep what they were issued with. What an export of theirs lacks is filled once, from the first change that has it.',
  allowed: 'admin',
  body: OrganizationUpdate,
  response: Organization,
  errors: ['not_found', 'integrity_failure', 'service_unavailable'],
}).callsOut(
  async (call, { body: { profile } }) => {
    refuseProblems(profileProblems({ profile }))
    if (profile.logo_attachment != null) await checkLogo(call, profile.logo_attachment)
    return async (tx) => ({
      body: viewOf(call, await updateProfile(tx, call.organization.id, profile)),
    })
  },
  { problems: profileProblems },
)
