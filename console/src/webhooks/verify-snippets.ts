/** Programs that check one signed body, with the values of an attempt in them. */

/** `t`, and each `v1`, of the header `Svc-Signature`. */
export interface SignatureValues {
  seconds: string
  signatures: readonly string[]
}

export const signatureValues = (header: string): SignatureValues | undefined => {
  const seconds = /(?:^|,)t=(\d+)/.exec(header)?.[1]
  const signatures = [...header.matchAll(/v1=([0-9a-f]{64})/g)].map(([, hex]) => hex!)
  return seconds === undefined || signatures.length === 0 ? undefined : { seconds, signatures }
}

type Snippet = (values: SignatureValues & { body: string }) => string

/** A text of JSON means the same as a literal of all three languages; each program prints a truth. */
export const verifySnippets: Readonly<Record<'Node' | 'Python' | 'Go', Snippet>> = {
  Node: ({ seconds, signatures, body }) => `import { createHmac } from 'node:crypto'

const body = ${JSON.stringify(body)}
const mac = createHmac('sha256', process.env.WEBHOOK_SECRET)
  .update(\`${seconds}.\${body}\`)
  .digest('hex')
console.log(${JSON.stringify(signatures)}.includes(mac))
`,
  Python: ({ seconds, signatures, body }) => `import hashlib, hmac, os

body = ${JSON.stringify(body)}
secret = os.environ["WEBHOOK_SECRET"].encode()
mac = hmac.new(secret, f"${seconds}.{body}".encode(), hashlib.sha256).hexdigest()
print(mac in ${JSON.stringify(signatures)})
`,
  Go: ({ seconds, signatures, body }) => `package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"slices"
)

func main() {
	body := ${JSON.stringify(body)}
	mac := hmac.New(sha256.New, []byte(os.Getenv("WEBHOOK_SECRET")))
	mac.Write([]byte("${seconds}." + body))
	signatures := []string{${signatures.map((one) => JSON.stringify(one)).join(', ')}}
	fmt.Println(slices.Contains(signatures, hex.EncodeToString(mac.Sum(nil))))
}
`,
}
