/** Reads and changes the profile of an organization (contract 12). */
import assert from 'node:assert/strict'
import { invalidRequest, notFound } from '../../contract/errors.ts'
import { interopLimits } from '../../contract/interop-limits.ts'
import type { Profile, ProfileUpdate } from '../../contract/shapes/organization.ts'
import {
  changedProfile,
  emptyProfile,
  parseProfile,
  profileDigest,
  serializeProfile,
} from '../../core/identity/organization-profile.ts'
import { decodeId } from '../../core/ids.ts'
import { databaseNow } from '../../database/database-clock.ts'
import { BrokenSeal } from '../../database/row-seals.ts'
import type { Queryable } from '../../database/sql.ts'
import { attachmentVisibleTo } from '../../store/documents/attachments.ts'
import { organizationForUpdate } from '../../store/identity/access-versions.ts'
import * as store from '../../store/identity/organization-profiles.ts'
import {
  type OrganizationRow,
  changeOrganization,
  organizationById,
} from '../../store/identity/organizations.ts'

/** The profile with this digest, which the organization has or had. */
export const profileByDigest = async (
  db: Queryable,
  organization: string,
  digest: string,
): Promise<Profile> => {
  const row = await store.profileOf(db, organization, digest)
  const isWhole = row !== undefined && profileDigest(row.profile) === digest
  if (!isWhole)
    throw new BrokenSeal('organization_profiles', `${organization} ${digest}`, 'it is gone')
  return parseProfile(row.profile)
}

const profileOf = async (db: Queryable, { id, profile_digest }: OrganizationRow) =>
  profile_digest === null ? emptyProfile : profileByDigest(db, id, profile_digest)

/** The profile that the organization has now; an empty one without any. */
export const currentProfile = async (db: Queryable, organization: string): Promise<Profile> =>
  profileOf(db, (await organizationById(db, organization))!)

export const updateProfile = async (
  tx: Queryable,
  organization: string,
  update: ProfileUpdate,
): Promise<Profile> => {
  const row = await organizationForUpdate(tx, organization)
  assert(row !== undefined, 'the calling organization exists')
  if (update.logo_attachment != null) await checkLogo(tx, organization, update.logo_attachment)
  const profile = changedProfile(await profileOf(tx, row), update)
  const text = serializeProfile(profile)
  const digest = profileDigest(text)
  if (digest === row.profile_digest) return profile

  // From here the change must succeed.
  const created_at = await databaseNow(tx)
  await store.keepProfile(tx, { organization_id: organization, digest, profile: text, created_at })
  await changeOrganization(tx, organization, { profile_digest: digest })
  return profile
}

const logoTypes: readonly string[] = ['image/png', 'image/jpeg']

/** A picture that the organization has attached itself. */
const checkLogo = async (tx: Queryable, organization: string, id: string): Promise<void> => {
  const param = '/profile/logo_attachment'
  const attachment = await attachmentVisibleTo(tx, organization, decodeId('att', id)!)
  if (attachment?.uploaded_by !== organization) throw notFound('attachment', id, param)
  if (logoTypes.includes(attachment.content_type) && attachment.size <= interopLimits.logoMaxBytes)
    return
  throw invalidRequest({
    param,
    code: 'invalid_value',
    message: `A logo is a PNG or JPEG of at most ${interopLimits.logoMaxBytes / 1024 / 1024} MiB.`,
    fix: 'attach such a picture to a document and send its id',
  })
}
