/** A new key: its scopes, and what bounds it. */
import { useState } from 'react'
import type { MintedKey, Scope } from '../api/types.ts'
import { useWrite } from '../api/writes.ts'
import { FormDialog } from '../design/dialog.tsx'
import { CheckField, TextField } from '../design/field.tsx'

const scopeTexts: readonly (readonly [Scope, string])[] = [
  ['documents:read', 'Documents, connections and events'],
  ['documents:write', 'Create, edit, issue and move documents'],
  ['payments:read', 'Payments'],
  ['payments:write', 'Pay documents'],
  ['treasury:read', 'Accounts, balances and transactions'],
  ['provenance:read', 'Verified history and proofs'],
  ['keys:manage', 'List and read keys'],
]

interface NewKeyDialogProps {
  onCreated: (secret: string | null) => void
  onClose: () => void
}

const NewKeyDialog = ({ onCreated, onClose }: NewKeyDialogProps) => {
  const [name, setName] = useState('')
  const [scopes, setScopes] = useState<readonly Scope[]>(['documents:read'])
  const [bounds, setBounds] = useState({ addresses: '', each: '', daily: '' })
  const write = useWrite<MintedKey>(({ body }) => onCreated(body.key))
  const mayPay = scopes.includes('payments:write')
  const submit = () =>
    write.mutate({ path: '/v1/keys', body: { name, scopes, ...boundsOf(bounds, mayPay) } })
  const bound = (field: keyof typeof bounds) => ({
    value: bounds[field],
    onChange: (event: { target: { value: string } }) =>
      setBounds({ ...bounds, [field]: event.target.value }),
  })
  return (
    <FormDialog
      title="New key"
      lead="Give it only what the program needs."
      write={write}
      verb="Create key"
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        label="Name"
        hint="The program and where it runs."
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <fieldset>
        <legend className="mb-1 text-sm font-medium">Scopes</legend>
        {scopeTexts.map(([scope, text]) => (
          <CheckField
            key={scope}
            label={scope}
            hint={text}
            checked={scopes.includes(scope)}
            onChange={(event) =>
              setScopes(
                event.target.checked
                  ? [...scopes, scope]
                  : scopes.filter((other) => other !== scope),
              )
            }
          />
        ))}
      </fieldset>
      {mayPay && (
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField
            label="Most per payment"
            inputMode="decimal"
            hint="Empty: no limit."
            {...bound('each')}
          />
          <TextField
            label="Most per day"
            inputMode="decimal"
            hint="Of each currency."
            {...bound('daily')}
          />
        </div>
      )}
      <TextField
        label="Allowed addresses"
        hint="CIDR ranges, separated by commas. Empty: any address."
        {...bound('addresses')}
      />
    </FormDialog>
  )
}

export default NewKeyDialog

const boundsOf = (
  { addresses, each, daily }: { addresses: string; each: string; daily: string },
  mayPay: boolean,
) => ({
  ...(addresses === '' ? {} : { allowed_cidrs: addresses.split(',').map((range) => range.trim()) }),
  ...(mayPay && (each !== '' || daily !== '')
    ? {
        payment_limits: {
          max_per_payment: each === '' ? null : Number(each),
          daily_volume: daily === '' ? null : Number(daily),
        },
      }
    : {}),
})
