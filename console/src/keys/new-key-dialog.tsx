/** A new key: what it is for, its scopes, and what bounds it. */
import { useState } from 'react'
import { serviceNow } from '../api/service-clock.ts'
import { useSession } from '../api/session.ts'
import type { MintedKey } from '../api/types.ts'
import { useWrite } from '../api/writes.ts'
import { FormDialog } from '../design/dialog.tsx'
import { CheckField, TextField } from '../design/field.tsx'
import { doubtOf } from '../design/typed-numbers.ts'
import { SelectField } from '../design/select-field.tsx'
import { AllowedAddresses } from './allowed-addresses.tsx'
import { type KeyForm, bodyOf, emptyKey, mayPay, obstacleOf } from './key-form.ts'
import { Scopes, useScopeRefusals } from './key-scopes.tsx'
import { useSecretUnderWay } from './secret-dialog.tsx'

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

export const NewKeyDialog = ({ onCreated, onClose }: NewKeyDialogProps) => {
  const { organization } = useSession()
  const [typed, setForm] = useState(emptyKey)
  const refusals = useScopeRefusals()
  const scopes = typed.scopes.filter((scope) => refusals[scope] === undefined)
  const form = { ...typed, scopes }
  const write = useWrite<MintedKey>(({ body }) => onCreated(body.key))
  useSecretUnderWay(write.isPending)
  // Whoever sends it again sends the same.
  const [openedAt] = useState(serviceNow)
  const change = (more: Partial<KeyForm>) => setForm({ ...form, ...more })
  const text = (name: 'name' | 'each' | 'daily' | 'days') => ({
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
      onSubmit={() => write.mutate({ path: '/v1/keys', body: bodyOf(form, openedAt) })}
      onClose={onClose}
    >
      <TextField
        label="Name"
        param="/name"
        hint="For example the program, and where it runs."
        {...text('name')}
      />
      <Scopes
        scopes={scopes}
        refusals={refusals}
        onChange={(chosen) => change({ scopes: chosen })}
      />
      {mayPay(form) && (
        <div>
          <div className="grid gap-4 sm:grid-cols-2">
            <TextField
              label="Limit per payment"
              param="/payment_limits/max_per_payment"
              problem={doubtOf(form.each)}
              inputMode="decimal"
              hint="In the currency of the payment."
              {...text('each')}
            />
            <TextField
              label="Limit per day"
              param="/payment_limits/daily_volume"
              problem={doubtOf(form.daily)}
              inputMode="decimal"
              hint="For each currency."
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
        <AllowedAddresses
          addresses={form.addresses}
          onChange={(addresses) => change({ addresses })}
        />
        <SelectField label="Expires" param="/expires_at" options={expiries} {...text('days')} />
      </div>
    </FormDialog>
  )
}
