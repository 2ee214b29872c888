/**
 * Gets Peppol's rules for CII, for `npm run test:interop` (docs/decisions/0147): those of their
 * publisher, or, for a folder of artefacts, of a checkout of OpenPEPPOL/peppol-bis-invoice-3.
 */
import { copyFileSync } from 'node:fs'
import { resolve } from 'node:path'

const { buildPeppolCii, downloadPeppolCii } = await import('../test/support/interop/peppol-cii.ts')

const [checkout, target] = process.argv.slice(2)
try {
  if (checkout === undefined) await downloadPeppolCii()
  else if (target !== undefined) copyFileSync(await buildPeppolCii(resolve(checkout)), target)
  else throw new Error('usage: node scripts/peppol-cii-rules.ts [<checkout> <file.xslt>]')
} catch (error) {
  console.error((error as Error).message)
  process.exit(1)
}
