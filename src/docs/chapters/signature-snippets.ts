/** Svc-Signature verified in four languages; test/contract/signature-snippets.test.ts runs them. */
import { readFileSync } from 'node:fs'

const snippetOf = (name: string): string =>
  readFileSync(
    new URL(`../../../docs/site/verify-signature/${name}`, import.meta.url),
    'utf8',
  ).trimEnd()

export const snippets = {
  js: snippetOf('verify.mjs'),
  python: snippetOf('verify.py'),
  java: snippetOf('Webhooks.java'),
  php: snippetOf('verify.php'),
} as const
