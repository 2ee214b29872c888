/** The fields that say how many people approve, and who counts. */
import { approvingRoles } from '../../../src/contract/roles.ts'
import { useRead } from '../api/reads.ts'
import type { Member, Page } from '../api/types.ts'
import { approversQuery } from './approvers.ts'
import { CheckField, FieldGroup } from '../design/field.tsx'
import { wordsOf } from '../design/format.tsx'
import { Region } from '../design/layout.tsx'
import { SelectField } from '../design/select-field.tsx'
import type { ApprovingRole, Audience, RuleForm } from './rule-form.ts'

const counts = [
  ['1', 'One person'],
  ['2', 'Two people'],
  ['3', 'Three people'],
] as const

const audiences: readonly (readonly [Audience, string])[] = [
  ['all', 'Owners, admins and approvers'],
  ['roles', 'Only some of these roles'],
  ['people', 'Only people named here'],
]

interface ApproverFieldsProps {
  form: RuleForm
  onChange: (change: Partial<RuleForm>) => void
}

export const ApproverFields = ({ form, onChange }: ApproverFieldsProps) => (
  <>
    <div className="grid gap-4 sm:grid-cols-2">
      <SelectField
        label="How many approve"
        param="/approvers"
        hint="Not counting whoever asks."
        options={counts}
        value={form.approvers}
        onChange={(event) => onChange({ approvers: event.target.value })}
      />
      <SelectField
        label="Who counts"
        options={audiences}
        value={form.audience}
        onChange={(event) => onChange({ audience: event.target.value as Audience })}
      />
    </div>
    {form.audience === 'roles' && (
      <Choices
        legend="Roles"
        param="/roles"
        options={approvingRoles.map((role) => [role as ApprovingRole, wordsOf(role)])}
        chosen={form.roles}
        onChoose={(roles) => onChange({ roles })}
      />
    )}
    {form.audience === 'people' && (
      <People chosen={form.people} onChoose={(people) => onChange({ people })} />
    )}
  </>
)

const unlistedText = (hasMore: boolean): string =>
  hasMore ? 'not among the newest approvers' : 'no longer an approver'

interface PeopleProps {
  chosen: readonly string[]
  onChoose: (people: readonly string[]) => void
}

const People = (props: PeopleProps) => {
  const read = useRead<Page<Member>>('/v1/members', approversQuery)
  return (
    <Region read={read} skeleton="h-20">
      {({ data, has_more }) => (
        <Choices
          legend="People who may approve"
          param="/user_ids"
          options={[
            ...data.map(({ user_id, name, role }) => [user_id, `${name} (${role})`] as const),
            ...props.chosen
              .filter((user) => !data.some(({ user_id }) => user_id === user))
              .map((user) => [user, `${user} (${unlistedText(has_more)})`] as const),
          ]}
          {...props}
        />
      )}
    </Region>
  )
}

interface ChoicesProps<Name extends string> {
  legend: string
  param: string
  options: readonly (readonly [value: Name, text: string])[]
  chosen: readonly Name[]
  onChoose: (chosen: readonly Name[]) => void
}

function Choices<Name extends string>(props: ChoicesProps<Name>) {
  const { legend, param, options, chosen, onChoose } = props
  return (
    <FieldGroup legend={legend} param={param}>
      {options.map(([value, text]) => (
        <CheckField
          key={value}
          label={text}
          checked={chosen.includes(value)}
          onChange={(event) =>
            onChoose(
              event.target.checked ? [...chosen, value] : chosen.filter((other) => other !== value),
            )
          }
        />
      ))}
    </FieldGroup>
  )
}
