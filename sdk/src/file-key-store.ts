/** A key store in one file, for a single process on Node.js, Deno or Bun. */
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import type { DocexKeyStore } from './key-store.ts'

export class FileKeyStore implements DocexKeyStore {
  readonly #path: string
  #last: Promise<unknown> = Promise.resolve()

  constructor(path: string) {
    this.#path = path
  }

  async get(name: string): Promise<string | undefined> {
    await this.#last
    return (await this.#read())[name]
  }

  set(name: string, key: string | undefined): Promise<void> {
    const written = this.#write(this.#last, name, key)
    this.#last = written.catch(() => undefined)
    return written
  }

  async #write(last: Promise<unknown>, name: string, key: string | undefined): Promise<void> {
    await last
    const { [name]: _, ...others } = await this.#read()
    const keys = key === undefined ? others : { ...others, [name]: key }
    const draft = `${this.#path}.${crypto.randomUUID()}`
    try {
      await writeFile(draft, JSON.stringify(keys), { mode: 0o600 })
      await rename(draft, this.#path)
    } finally {
      // On a full disk, there is a part of it.
      await rm(draft, { force: true })
    }
  }

  async #read(): Promise<Record<string, string>> {
    try {
      return JSON.parse(await readFile(this.#path, 'utf8')) as Record<string, string>
    } catch (error) {
      if ((error as { code?: string }).code === 'ENOENT') return {}
      throw new Error(`Cannot read ${this.#path}`, { cause: error })
    }
  }
}
