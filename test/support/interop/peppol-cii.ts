/**
 * Peppol’s rules for CII are published as Schematron alone, and no licence permits to pass them on.
 * So each machine takes its own copy from their publisher, and compiles it (docs/decisions/0147).
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { cacheFolder, compileSchematron, compiledFile } from './schematron.ts'

const root = resolve(import.meta.dirname, '../../..')

/** Editions of 3.0.21 differ; the tests state what this one says, which has R059. */
const edition = {
  release: '3.0.21',
  newestRule: 'PEPPOL-COMMON-R059',
  commit: '0031ed296a66106dc578bdd030ee514cc3ee6db8',
}
const path = 'rules/sch/PEPPOL-EN16931-CII.sch'
const publisher = 'https://raw.githubusercontent.com/OpenPEPPOL/peppol-bis-invoice-3'

const downloaded = join(cacheFolder, `PEPPOL-EN16931-CII-${edition.commit.slice(0, 12)}.sch`)

/** Of a checkout of OpenPEPPOL/peppol-bis-invoice-3, or else what was downloaded before. */
const sourceFile = (checkout = process.env.PEPPOL_BIS_DIR): string =>
  checkout === undefined ? downloaded : resolve(root, checkout, path)

/** Throws what is wrong with a source. */
export const assertEdition = (text: string, place: string): void => {
  const release = /release (\d+\.\d+\.\d+)/.exec(text)?.[1]
  if (release !== edition.release)
    throw new Error(`${place} is of release ${release}, not of ${edition.release}`)
  if (!text.includes(`id="${edition.newestRule}"`))
    throw new Error(`${place} is an edition of ${release} without ${edition.newestRule}`)
}

/** Only where it is asked for: no test reaches beyond the package registries by itself. */
export const downloadPeppolCii = async (): Promise<void> => {
  const url = `${publisher}/${edition.commit}/${path}`
  const response = await fetch(url, { signal: AbortSignal.timeout(20_000) }).catch(
    (error: unknown) => {
      throw new Error(`${url} cannot be reached`, { cause: error })
    },
  )
  if (!response.ok) throw new Error(`${url} answers ${response.status}`)
  const text = await response.text()
  assertEdition(text, url)
  mkdirSync(cacheFolder, { recursive: true })
  writeFileSync(`${downloaded}.${process.pid}`, text)
  renameSync(`${downloaded}.${process.pid}`, downloaded)
}

/** Compiles the source at hand; says where to. */
export const buildPeppolCii = async (checkout?: string): Promise<string> => {
  const source = sourceFile(checkout)
  if (!existsSync(source)) throw new Error(`${source} is absent`)
  assertEdition(readFileSync(source, 'utf8'), source)
  return compileSchematron(source)
}

/** Where `buildPeppolCii` has put them, if it has. */
export const builtPeppolCii = (): string | undefined => {
  const source = sourceFile()
  return existsSync(source) ? compiledFile(source, 'xslt') : undefined
}
