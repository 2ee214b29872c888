/** Stores files below DATA_DIR/attachments, in 256 folders by the last byte of the id. */
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { syncFolder } from './durable-files.ts'
import { type FileStore, FilesUnavailable } from './file-store.ts'

export const diskFileStore = (dataDir: string): FileStore => {
  const folderOf = (id: string) => join(dataDir, 'attachments', id.slice(-2))
  const pathOf = (id: string) => join(folderOf(id), id)
  return {
    put: async ({ id, path }) => {
      try {
        await mkdir(folderOf(id), { recursive: true, mode: 0o700 })
        await rename(path, pathOf(id))
        // The upload flushed the bytes already.
        await syncFolder(folderOf(id))
      } catch (error) {
        throw new FilesUnavailable('the file could not be stored', { cause: error })
      }
    },
    read: async (id) => {
      try {
        return (await open(pathOf(id))).createReadStream()
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
        throw new FilesUnavailable('the file could not be read', { cause: error })
      }
    },
    remove: (id) => rm(pathOf(id), { force: true }),
  }
}
