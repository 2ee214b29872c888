/** Reads and changes the profile of an organization (contract 12). */
import assert from 'node:assert/strict'
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
import { type AttachmentView, attachmentUploadedBy } from '../../store/documents/attachments.ts'
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

/** The attachment that a profile names as its logo. */
export const logoOf = async (
  db: Queryable,
  organization: string,
  { logo_attachment: id }: Profile,
): Promise<AttachmentView | undefined> => {
  if (id === null) return undefined
  const attachment = await attachmentUploadedBy(db, organization, decodeId('att', id)!)
  if (attachment === undefined) throw new BrokenSeal('attachments', id, 'it is gone')
  return attachment
}
