/** How to compute the signatures of one attempt again: what was signed, and programs that do it. */
import { useState } from 'react'
import { Button } from '../design/button.tsx'
import { copyText } from '../design/copy-text.ts'
import { signatureValues, verifySnippets } from './verify-snippets.ts'

const languages = Object.keys(verifySnippets) as (keyof typeof verifySnippets)[]

interface VerifyAttemptProps {
  number: number
  /** Svc-Signature. */
  header: string
  body: string
}

export const VerifyAttempt = ({ number, header, body }: VerifyAttemptProps) => {
  const [language, setLanguage] = useState(languages[0]!)
  const values = signatureValues(header)
  if (values === undefined) return null
  const snippet = verifySnippets[language]({ ...values, body })
  const copy = () => void copyText(snippet)
  return (
    <details className="mt-2 text-sm">
      <summary className="min-h-6 cursor-pointer leading-6 text-muted">Verify</summary>
      <p className="my-2">
        Each <code>v1</code> is the HMAC-SHA256, under a secret of the endpoint, of{' '}
        <code>{values.seconds}.</code> and the body. The program prints whether yours, in{' '}
        <code>WEBHOOK_SECRET</code>, is one of them.
      </p>
      <div role="group" aria-label={`Language, attempt ${number}`} className="flex flex-wrap gap-2">
        {languages.map((name) => (
          <Button
            key={name}
            aria-pressed={name === language}
            kind={name === language ? 'primary' : 'plain'}
            onClick={() => setLanguage(name)}
          >
            {name}
          </Button>
        ))}
        <Button icon="copy" aria-label={`Copy the program, attempt ${number}`} onClick={copy}>
          Copy
        </Button>
      </div>
      <pre
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a region that scrolls
        tabIndex={0}
        className="my-2 max-h-60 overflow-auto rounded-md border border-line bg-canvas p-3 font-mono text-xs"
      >
        {snippet}
      </pre>
    </details>
  )
}
