/** Console 1.5: the programs that check a signature, run as a developer would. Needs python3. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { signatureValues, verifySnippets } from '../../console/src/webhooks/verify-snippets.ts'
import { signaturesOf, signingSecret } from '../../src/core/webhooks/signature.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const secrets = ['whsec_new', 'whsec_old'].map((text) => signingSecret(text))
const body = '{"note":"“12 €” \\\\ 😀 \\n ${x} {y} %s \\u2028"}'

/** What the program says with the secret. */
const run = (language: 'Node' | 'Python', secret: string, sent = body): string => {
  const [header] = signaturesOf(secrets, {
    eventId: 'evt_1',
    unixSeconds: 1_795_272_010,
    body,
  }).split(' ')
  const snippet = verifySnippets[language]({ ...signatureValues(header!)!, body: sent })
  const file = join(temporaryFolder(), language === 'Node' ? 'verify.mjs' : 'verify.py')
  writeFileSync(file, snippet)
  const [program, env] = [
    language === 'Node' ? process.execPath : 'python3',
    { WEBHOOK_SECRET: secret },
  ]
  return execFileSync(program, [file], { env: { ...process.env, ...env }, encoding: 'utf8' }).trim()
}

test('each program accepts both secrets of a rotation, and refuses another one or another body', () => {
  for (const language of ['Node', 'Python'] as const) {
    assert.match(run(language, 'whsec_new'), /^true$/i, language)
    assert.match(run(language, 'whsec_old'), /^true$/i, language)
    assert.match(run(language, 'whsec_other'), /^false$/i, language)
    assert.match(run(language, 'whsec_new', `${body} `), /^false$/i, language)
  }
})

test('what is no Svc-Signature has no values', () => {
  for (const header of ['', 't=1', `v1=${'0'.repeat(64)}`, 't=1,v1=00']) {
    assert.equal(signatureValues(header), undefined, header)
  }
})
