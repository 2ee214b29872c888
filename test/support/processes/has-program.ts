/** Whether a program of the system is there, for tests that are skipped without it. */
import { spawnSync } from 'node:child_process'

export const hasProgram = (name: string): boolean =>
  spawnSync(name, ['--version'], { stdio: 'ignore' }).error === undefined
