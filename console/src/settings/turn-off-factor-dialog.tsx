/** Turns the second factor off, by a code or the password. */
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { ApiError } from '../api/call.ts'
import { type FactorState, removeFactor } from '../api/second-factor.ts'
import { FormDialog } from '../design/dialog.tsx'
import { SelectField, TextField } from '../design/field.tsx'
import { notify } from '../design/notices.tsx'

const ways = [
  ['totp', 'A code of the app, or a recovery code'],
  ['password', 'The password'],
] as const

const TurnOffDialog = ({ onClose }: { onClose: () => void }) => {
  const [way, setWay] = useState<'totp' | 'password'>('totp')
  const [text, setText] = useState('')
  const write = useMutation<FactorState, ApiError>({
    mutationFn: () => removeFactor(way === 'totp' ? { totp: text } : { password: text }),
    onSuccess: () => {
      notify('The second factor is off.')
      onClose()
    },
  })
  const isCode = way === 'totp'
  return (
    <FormDialog
      title="Turn the second factor off"
      lead="The password signs in alone then, and the recovery codes end."
      write={write}
      verb="Turn off"
      isDanger
      obstacle={text === '' ? 'Show who you are first' : undefined}
      onSubmit={() => write.mutate()}
      onClose={onClose}
    >
      <SelectField
        label="Show who you are by"
        value={way}
        options={ways}
        onChange={({ target }) => {
          setWay(target.value as typeof way)
          setText('')
        }}
      />
      <TextField
        key={way}
        label={isCode ? 'Code' : 'Password'}
        type={isCode ? 'text' : 'password'}
        autoComplete={isCode ? 'one-time-code' : 'current-password'}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
    </FormDialog>
  )
}

export default TurnOffDialog
