/** A new key: what it is for, its scopes, and what bounds it. */
import { useState } from 'react'
import { useSession } from '../api/session.ts'
import type { MintedKey, Scope } from '../api/types.ts'
import { useWrite } from '../api/writes.ts'
import { FormDialog } from '../design/dialog.tsx'
import { CheckField, SelectField, TextField } from '../design/field.tsx'
import {
  type KeyForm,
  bodyOf,
  emptyKey,
  mayPay,
  obstacleOf,
  presets,
  scopeTexts,
} from './key-form.ts'

interface NewKeyDialogProps {
  onCreated: (secret: string | null) => void
  onClose: () => void
}

const expiries = [
  ['30', 'In 30 days'],
  ['90', 'In 90 days'],
  ['365', 'In a year'],
  ['', 'Never'],
] as const

const NewKeyDialog = ({ onCreated, onClose }: NewKeyDialogProps) => {
  const { organization } = useSession()
  const [form, setForm] = useState(emptyKey)
  const write = useWrite<MintedKey>(({ body }) => onCreated(body.key))
  const change = (more: Partial<KeyForm>) => setForm({ ...form, ...more })
  const text = (name: 'name' | 'addresses' | 'each' | 'daily' | 'days') => ({
    value: form[name],
    onChange: (event: { target: { value: string } }) => change({ [name]: event.target.value }),
  })
  return (
    <FormDialog
      title="New key"
      lead={
        organization.mode === 'sandbox'
          ? `For ${organization.name}, a sandbox: what it pays is simulated.`
          : `For ${organization.name}, live: what it pays is real money.`
      }
      size="large"
      write={write}
      verb="Create key"
      obstacle={obstacleOf(form, organization.mode)}
      onSubmit={() => write.mutate({ path: '/v1/keys', body: bodyOf(form, Date.now()) })}
      onClose={onClose}
    >
      <TextField label="Name" hint="The program and where it runs." {...text('name')} />
      <Scopes scopes={form.scopes} onChange={(scopes) => change({ scopes })} />
      {mayPay(form) && (
        <div>
          <div className="grid gap-4 sm:grid-cols-2">
            <TextField
              label="Most per payment"
              inputMode="decimal"
              hint="In the currency of the payment."
              {...text('each')}
            />
            <TextField
              label="Most per day"
              inputMode="decimal"
              hint="Of each currency."
              {...text('daily')}
            />
          </div>
          {organization.mode === 'live' && (
            <CheckField
              label="No limit"
              hint="It may then pay whatever the account holds."
              checked={form.isUnlimited}
              onChange={({ target }) => change({ isUnlimited: target.checked })}
            />
          )}
        </div>
      )}
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label="Allowed addresses"
          placeholder="203.0.113.0/24"
          hint="CIDR ranges, separated by commas. Empty: any address."
          {...text('addresses')}
        />
        <SelectField label="Expires" options={expiries} {...text('days')} />
      </div>
    </FormDialog>
  )
}

export default NewKeyDialog

interface ScopesProps {
  scopes: readonly Scope[]
  onChange: (scopes: readonly Scope[]) => void
}

const isSame = (a: readonly Scope[], b: readonly Scope[]): boolean =>
  a.length === b.length && a.every((scope) => b.includes(scope))

const Scopes = ({ scopes, onChange }: ScopesProps) => (
  <fieldset>
    <legend className="mb-1 text-sm font-medium">Scopes</legend>
    <div className="flex flex-wrap gap-2 pb-1">
      {Object.entries(presets).map(([name, preset]) => {
        const isChosen = isSame(scopes, preset.scopes)
        return (
          <button
            key={name}
            type="button"
            aria-pressed={isChosen}
            onClick={() => onChange(preset.scopes)}
            className={`h-8 rounded-full border px-3 text-sm max-md:h-9 ${isChosen ? 'border-accent bg-accent-tint font-medium text-accent' : 'border-edge bg-raised hover:bg-hover'}`}
          >
            {preset.title}
          </button>
        )
      })}
    </div>
    <div className="grid gap-x-4 sm:grid-cols-2">
      {scopeTexts.map(([scope, text]) => (
        <CheckField
          key={scope}
          label={scope}
          hint={text}
          checked={scopes.includes(scope)}
          onChange={({ target }) =>
            onChange(
              target.checked ? [...scopes, scope] : scopes.filter((other) => other !== scope),
            )
          }
        />
      ))}
    </div>
  </fieldset>
)
