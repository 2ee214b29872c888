/** Durable files of the notary, and the folders that archive the log's earlier epochs. */
import { open, readFile, readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

export const epochFolder = (folder: string, epoch: number): string => `${folder}.epoch-${epoch}`

/** The archived folders of this log, newest first. */
export const earlierEpochFolders = async (folder: string): Promise<string[]> => {
  const names = await readdir(dirname(folder)).catch(() => [])
  const prefix = epochFolder(basename(folder), 0).slice(0, -1)
  return names
    .filter((name) => name.startsWith(prefix) && /^\d+$/.test(name.slice(prefix.length)))
    .toSorted((a, b) => Number(b.slice(prefix.length)) - Number(a.slice(prefix.length)))
    .map((name) => join(dirname(folder), name))
}

/** The public keys of the log's current epoch, and of all its epochs. Creates nothing. */
export const storedKeys = async (
  folder: string,
): Promise<{ now: readonly string[]; ever: readonly string[] }> => {
  const now = await keysIn(folder)
  const before = await Promise.all((await earlierEpochFolders(folder)).map(keysIn))
  return { now, ever: [...now, ...before.flat()] }
}

const keysIn = async (folder: string): Promise<string[]> => {
  const text = await readFile(join(folder, 'keys.json'), 'utf8').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '{"keys":[]}'
    throw error
  })
  return (JSON.parse(text) as { keys: { vkey: string }[] }).keys.map(({ vkey }) => vkey)
}

export const writeDurably = async (file: string, text: string): Promise<void> => {
  const handle = await open(file, 'w', 0o600)
  try {
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

export const syncFolder = async (folder: string): Promise<void> => {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
