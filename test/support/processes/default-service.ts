/** The service as `npm start` runs it, with no setting but a free port and a directory. */
import { symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { temporaryFolder } from '../temporary-folder.ts'
import { launchProgram, readyAddress } from './program.ts'

const root = resolve(import.meta.dirname, '../../..')

export interface DefaultService {
  /** As its docs name it. */
  baseUrl: string
  /** A stand-in for the root of the project: `.data` belongs to the service. */
  folder: string
  /** What it has printed so far. */
  output(): string
}

export const startDefaultService = async (): Promise<DefaultService> => {
  const folder = temporaryFolder()
  for (const name of ['cli', 'sdk', 'node_modules', 'package.json', 'scripts', 'src']) {
    symlinkSync(join(root, name), join(folder, name))
  }
  const program = launchProgram({ DATA_DIR: join(folder, '.data') })
  return { baseUrl: await readyAddress(program), folder, output: program.output }
}
