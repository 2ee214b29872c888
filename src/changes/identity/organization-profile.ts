/** Reads and changes the profile of an organization (contract 12). */
import assert from 'node:assert/strict'
import { interopLimits } from '../../contract/interop-limits.ts'
import type { Profile, ProfileUpdate } from '../../contract/shapes/organization.ts'
import {
  areEqualProfiles,
  changedProfile,
  emptyProfile,
  parseProfile,
  previousVersionOf,
  profileDigest,
  serializeProfile,
} from '../../core/identity/organization-profile.ts'
import { decodeId } from '../../core/ids.ts'
import { databaseNow } from '../../database/database-clock.ts'
import { BrokenSeal } from '../../database/row-seals.ts'
import type { Queryable } from '../../database/sql.ts'
import { nextMillisecond } from '../organization-counters.ts'
import { type AttachmentView, attachmentUploadedBy } from '../../store/documents/attachments.ts'
import { organizationForUpdate } from '../../store/identity/access-versions.ts'
import { currentConnection } from '../../store/identity/connections.ts'
import * as store from '../../store/identity/organization-profiles.ts'
import {
  type OrganizationRow,
  changeOrganization,
  organizationById,
} from '../../store/identity/organizations.ts'

/** The version with this digest, which the organization has or had. */
const versionByDigest = async (
  db: Queryable,
  organization: string,
  digest: string,
): Promise<store.ProfileRow> => {
  const row = await store.profileOf(db, organization, digest)
  const isWhole = row !== undefined && profileDigest(row.profile) === digest
  if (!isWhole) throw lost(organization, digest)
  return row
}

const lost = (organization: string, digest: string): BrokenSeal =>
  new BrokenSeal('organization_profiles', `${organization} ${digest}`, 'it is gone')

export const profileByDigest = async (
  db: Queryable,
  organization: string,
  digest: string,
): Promise<Profile> => parseProfile((await versionByDigest(db, organization, digest)).profile)

/**
 * What the organization changed the profile with this digest to, or its first one, the oldest
 * first. A version that was deleted is missed by the digest in its successor.
 */
export const laterProfiles = async (
  db: Queryable,
  organization: string,
  digest: string | undefined,
): Promise<Profile[]> => {
  const after = digest === undefined ? undefined : await versionByDigest(db, organization, digest)
  const limit = interopLimits.laterProfilesMax
  const rows = await store.profilesAfter(db, organization, { after, limit })
  let before = after
  for (const row of rows) {
    const previous = previousVersionOf(row.profile)
    const isNamed = before === undefined || previousVersionOf(before.profile) !== undefined
    if (isNamed && previous !== undefined && previous !== (before?.digest ?? null))
      throw lost(organization, previous ?? row.digest)
    before = row
  }
  return rows.map(({ profile }) => parseProfile(profile))
}

const versionOf = async (db: Queryable, { id, profile_digest: digest }: OrganizationRow) =>
  digest === null ? undefined : versionByDigest(db, id, digest)

/** The profile that the organization has now; an empty one without any. */
export const currentProfile = async (db: Queryable, organization: string): Promise<Profile> => {
  const version = await versionOf(db, (await organizationById(db, organization))!)
  return version === undefined ? emptyProfile : parseProfile(version.profile)
}

/** What the other side of the connection is shown now: nothing once it has ended. */
export const profileShownOn = async (
  db: Queryable,
  connection: string,
  organization: string,
): Promise<Profile> => {
  const current = await currentConnection(db, connection)
  if (current instanceof BrokenSeal) throw current
  return current.status === 'active' ? currentProfile(db, organization) : emptyProfile
}

export const updateProfile = async (
  tx: Queryable,
  organization: string,
  update: ProfileUpdate,
): Promise<Profile> => {
  const row = await organizationForUpdate(tx, organization)
  assert(row !== undefined, 'the calling organization exists')
  const version = await versionOf(tx, row)
  const before = version === undefined ? emptyProfile : parseProfile(version.profile)
  const profile = changedProfile(before, update)
  if (version !== undefined && areEqualProfiles(profile, before)) return profile

  // From here the change must succeed.
  const text = serializeProfile(profile, row.profile_digest)
  const digest = profileDigest(text)
  const created_at = await timeAfter(tx, version)
  await store.keepProfile(tx, { organization_id: organization, digest, profile: text, created_at })
  await changeOrganization(tx, organization, { profile_digest: digest })
  return profile
}

/** The order of the times is that of the versions, also when the clock has gone back. */
const timeAfter = async (tx: Queryable, version: store.ProfileRow | undefined): Promise<string> => {
  const now = await databaseNow(tx)
  const earlier = version?.created_at
  return earlier === undefined || earlier < now ? now : nextMillisecond(earlier)
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
