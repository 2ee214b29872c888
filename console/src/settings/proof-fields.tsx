/** Shows who the person is, before a second factor is taken away: one way of several. */
import { useState } from 'react'
import { askPasskey, knowsPasskeys } from '../api/passkeys.ts'
import type { Proof } from '../api/second-factor.ts'
import { TextField } from '../design/field.tsx'
import { SelectField } from '../design/select-field.tsx'

const ways = [
  ['totp', 'A code of the app, or a recovery code'],
  ['passkey', 'A passkey'],
  ['password', 'The password'],
] as const

type Way = (typeof ways)[number][0]

/** The fields, what is missing in them, and the proof that they make. */
export const useProof = (first: Way) => {
  const [way, setWay] = useState<Way>(first)
  const [text, setText] = useState('')
  const isCode = way === 'totp'
  const fields = (
    <>
      <SelectField
        label="Show who you are by"
        value={way}
        options={ways.filter(([one]) => one !== 'passkey' || knowsPasskeys())}
        onChange={({ target }) => {
          setWay(target.value as Way)
          setText('')
        }}
      />
      {way !== 'passkey' && (
        <TextField
          key={way}
          label={isCode ? 'Code' : 'Password'}
          type={isCode ? 'text' : 'password'}
          autoComplete={isCode ? 'one-time-code' : 'current-password'}
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      )}
    </>
  )
  const proof = async (): Promise<Proof> =>
    way === 'passkey'
      ? { passkey: await askPasskey() }
      : isCode
        ? { totp: text }
        : { password: text }
  const obstacle = way !== 'passkey' && text === '' ? 'Show who you are first' : undefined
  return { fields, proof, obstacle }
}
