/** Whether a received signature is of a secret: checked in this browser. */
import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { useState } from 'react'
import { Announced } from '../design/announcements.tsx'
import { TextArea, TextField } from '../design/field.tsx'
import { Time } from '../design/format.tsx'
import { Status } from '../design/status.tsx'
import { signatureValues } from './verify-snippets.ts'

const SignatureCheck = () => {
  const [received, setReceived] = useState({ header: '', body: '', secret: '' })
  const field = (name: keyof typeof received) => ({
    value: received[name],
    onChange: (event: { target: { value: string } }) =>
      setReceived({ ...received, [name]: event.target.value }),
  })
  return (
    <div className="mt-3 grid grid-cols-[minmax(0,1fr)] gap-3">
      <TextField label="Svc-Signature" placeholder="t=…,v1=…" {...field('header')} />
      <TextArea label="Body, byte for byte" {...field('body')} />
      <TextField
        label="Secret"
        hint="It stays in this browser."
        type="password"
        autoComplete="off"
        {...field('secret')}
      />
      {received.header !== '' && <Outcome {...received} />}
    </div>
  )
}

export default SignatureCheck

const Outcome = ({ header, body, secret }: { header: string; body: string; secret: string }) => {
  const values = signatureValues(header)
  if (values === undefined) return <Status tone="bad">This is no Svc-Signature</Status>
  const { seconds, signatures } = values
  const expected = bytesToHex(hmac(sha256, utf8ToBytes(secret), utf8ToBytes(`${seconds}.${body}`)))
  return (
    <Announced className="grid grid-cols-[minmax(0,1fr)] gap-2">
      <p className="text-muted">
        Signed <Time at={new Date(Number(seconds) * 1000).toISOString()} isExact />
      </p>
      <ol aria-label="Signatures" className="grid grid-cols-[minmax(0,1fr)] gap-2">
        {signatures.map((signature, i) => (
          <li key={signature} className="rounded-md border border-line p-2">
            {secret === '' ? (
              <Status tone="neutral">{`v1, number ${i + 1}`}</Status>
            ) : signature === expected ? (
              <Status tone="good">{`v1, number ${i + 1}: this secret`}</Status>
            ) : (
              <Status tone="waiting">{`v1, number ${i + 1}: another secret`}</Status>
            )}
            <code className="mt-1 block font-mono text-xs break-all text-muted">{signature}</code>
          </li>
        ))}
      </ol>
    </Announced>
  )
}
