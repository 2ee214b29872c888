/** How the organization is named on its invoices. A document keeps what was true when it was issued. */
import { type FormEvent, useState } from 'react'
import { useRead } from '../api/reads.ts'
import { useSession } from '../api/session.ts'
import type { Organization, OrganizationProfile } from '../api/types.ts'
import { useWrite } from '../api/writes.ts'
import { Button } from '../design/button.tsx'
import { TextField } from '../design/field.tsx'
import { Form } from '../design/form.tsx'
import { Panel, Refusal, Region } from '../design/layout.tsx'
import { notify } from '../design/notices.tsx'

type Group = 'address' | 'bank'
type FieldName = readonly [group: Group | null, name: string, label: string, isWide?: true]

const fields: readonly FieldName[] = [
  [null, 'legal_name', 'Legal name', true],
  ['address', 'line1', 'Address', true],
  ['address', 'postal_code', 'Postal code'],
  ['address', 'city', 'City'],
  ['address', 'region', 'Region'],
  ['address', 'country', 'Country code'],
  [null, 'vat_id', 'VAT number'],
  [null, 'company_id', 'Company number'],
  ['bank', 'iban', 'IBAN'],
  ['bank', 'bic', 'BIC'],
  [null, 'time_zone', 'Time zone'],
]

const zoneHint = 'Only stated: days are those of UTC, and times follow your preferences.'

export const Profile = () => {
  const read = useRead<Organization>('/v1/organization')
  return (
    <Panel title="On your invoices">
      <div className="p-4">
        <Region read={read} skeleton="h-64">
          {({ profile }) => <ProfileForm key={JSON.stringify(profile)} profile={profile} />}
        </Region>
      </div>
    </Panel>
  )
}

const ProfileForm = ({ profile }: { profile: OrganizationProfile }) => {
  const { role } = useSession()
  const [isChanged, setIsChanged] = useState(false)
  const write = useWrite<Organization>(() => {
    setIsChanged(false)
    notify('The profile is saved. Documents that are issued from now on show it.')
  })
  const isAdmin = role === 'owner' || role === 'admin'
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const body = { profile: changesIn(form, profile) }
    write.mutate({ method: 'PATCH', path: '/v1/organization', body })
  }
  return (
    <Form error={write.error} onSubmit={submit} onChange={() => setIsChanged(true)}>
      <div className="grid grid-cols-2 gap-4">
        {fields.map(([group, name, label, isWide]) => (
          <TextField
            key={name}
            className={isWide ? 'col-span-2' : ''}
            label={label}
            param={`/profile/${group === null ? name : `${group}/${name}`}`}
            name={name}
            hint={name === 'time_zone' ? zoneHint : undefined}
            defaultValue={valueIn(profile, group, name)}
            readOnly={!isAdmin}
          />
        ))}
      </div>
      {write.error && (
        <div className="mt-4">
          <Refusal error={write.error} />
        </div>
      )}
      <div className="mt-4 flex justify-end">
        <Button
          type="submit"
          kind="primary"
          disabledReason={
            isAdmin
              ? isChanged
                ? write.isPending
                  ? 'Sending'
                  : undefined
                : 'Nothing is changed.'
              : 'Owners and admins change it.'
          }
        >
          Save
        </Button>
      </div>
    </Form>
  )
}

const valueIn = (profile: OrganizationProfile, group: Group | null, name: string): string => {
  const values = (group === null ? profile : (profile[group] ?? {})) as Record<string, unknown>
  return String(values[name] ?? '')
}

/**
 * Only what differs from what is shown, so that what somebody else has changed meanwhile stays. The
 * service replaces a group as a whole, so what has no field here goes along, unless all fields are
 * empty: the group is none then.
 */
const changesIn = (form: FormData, profile: OrganizationProfile): Record<string, unknown> => {
  const typedIn = (wanted: Group | null) =>
    fields
      .filter(([group]) => group === wanted)
      .map(([, name]) => [name, String(form.get(name)).trim()] as const)
  const changesOf = (group: Group | null) =>
    typedIn(group)
      .filter(([name, typed]) => typed !== valueIn(profile, group, name))
      .map(([name, typed]) => [name, typed || null] as const)
  const own = changesOf(null).filter(([name, value]) => name !== 'time_zone' || value !== null)
  const groups = (['address', 'bank'] as const).flatMap((group) => {
    const changes = changesOf(group)
    if (changes.length === 0) return []
    const isEmpty = typedIn(group).every(([, typed]) => typed === '')
    return [
      [group, isEmpty ? null : { ...profile[group], ...Object.fromEntries(changes) }] as const,
    ]
  })
  return Object.fromEntries<unknown>([...own, ...groups])
}
