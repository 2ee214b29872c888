/**
 * Compiles Peppol’s rules for CII from a checkout of OpenPEPPOL/peppol-bis-invoice-3, for a folder
 * of artefacts on a machine that does not reach their publisher (docs/decisions/0147).
 */
import { copyFileSync } from 'node:fs'
import { resolve } from 'node:path'

const { buildPeppolCii } = await import('../test/support/interop/peppol-cii.ts')

const [checkout, target] = process.argv.slice(2)
if (checkout === undefined || target === undefined) {
  console.error('usage: node scripts/peppol-cii-rules.ts <checkout> <file.xslt>')
  process.exit(2)
}
try {
  copyFileSync(await buildPeppolCii(resolve(checkout)), target)
} catch (error) {
  console.error((error as Error).message)
  process.exit(1)
}
