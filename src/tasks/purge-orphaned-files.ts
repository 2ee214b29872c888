/**
 * Removes files whose attachment was never committed. The row that the commit would need is marked
 * as abandoned first, so an attachment never loses its file.
 */
import { limits } from '../contract/limits.ts'
import { abandonPendingFiles, deletePendingFile } from '../store/documents/attachments.ts'
import type { Task } from './runner.ts'

export const purgeOrphanedFiles: Task = {
  name: 'purge-files',
  everyMs: limits.purgeEveryMs,
  run: async ({ database, fileStore }) => {
    const before = new Date(Date.now() - limits.pendingFileMaxAgeMs).toISOString()
    const ids = await abandonPendingFiles(database.background, before, limits.pendingFilesPerRound)
    for (const id of ids) {
      await fileStore.remove(id)
      await deletePendingFile(database.background, id)
    }
    return ids.length === limits.pendingFilesPerRound
  },
}
