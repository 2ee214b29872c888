/**
 * How far the auditor of a log is: `audit.json` in the folder of the log. It lies with the notary,
 * since whoever can write to the database could otherwise lead the auditor past what was changed.
 */
import { randomBytes } from 'node:crypto'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type AuditPosition, firstPosition } from '../core/provenance/audit-position.ts'

const fileOf = (folder: string): string => join(folder, 'audit.json')

export const readAuditPosition = async (folder: string): Promise<AuditPosition> => {
  const text = await readFile(fileOf(folder), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  return (text === undefined ? undefined : positionIn(text)) ?? firstPosition(new Date())
}

/** Undefined if it is none: a power cut may leave an empty file behind. A new round begins then. */
const positionIn = (text: string): AuditPosition | undefined => {
  try {
    return JSON.parse(text) as AuditPosition
  } catch {
    return undefined
  }
}

/** Needs no sync: a position that a crash loses is only an earlier one, or the first. */
export const writeAuditPosition = async (
  folder: string,
  position: AuditPosition,
): Promise<void> => {
  const draft = `${fileOf(folder)}.${randomBytes(6).toString('hex')}`
  try {
    await writeFile(draft, `${JSON.stringify(position)}\n`)
    await rename(draft, fileOf(folder))
  } finally {
    // A full folder may have taken the name and none of the bytes.
    await rm(draft, { force: true })
  }
}
