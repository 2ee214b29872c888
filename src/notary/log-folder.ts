/** Whether the folder of the log keys (PROVENANCE_KEYS_DIR) can be used. */
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The folder, or a file in it, is away or cannot be read: nothing can be verified or signed. */
export class LogFolderUnavailable extends Error {
  override name = 'LogFolderUnavailable'
}

/** By its reason at /readyz. */
export type LogFolderProblem = 'log_folder_unavailable' | 'log_folder_full'

export const orUnavailable = async <T>(read: () => Promise<T>): Promise<T> => {
  try {
    return await read()
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    const message = `the folder of the log keys cannot be used: ${reason}`
    throw new LogFolderUnavailable(message, { cause: error })
  }
}

const block = Buffer.alloc(4_096)
const fullCodes = ['ENOSPC', 'EDQUOT']

/** One name for all processes and times, so that nothing is left behind by those that die. */
export const hasRoom = async (folder: string): Promise<boolean> => {
  const file = join(folder, '.room')
  try {
    await writeFile(file, block)
    await rm(file, { force: true })
    return true
  } catch (error) {
    return !fullCodes.includes((error as NodeJS.ErrnoException).code ?? '')
  }
}
