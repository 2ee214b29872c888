/** Files that are whole on disk before anything relies on them, also after a power cut. */
import { open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Replaces the file as a whole: an interruption leaves the one before. */
export const replaceDurably = async (file: string, text: string): Promise<void> => {
  await writeDurably(`${file}.new`, text)
  await rename(`${file}.new`, file)
  await syncFolder(dirname(file))
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

/** Makes the names in the folder durable. */
export const syncFolder = async (folder: string): Promise<void> => {
  const handle = await open(folder)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
