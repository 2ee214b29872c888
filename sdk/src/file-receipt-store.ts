/** Receipts in one file, for a single process on Node.js, Deno or Bun. */
import { FileKeyStore } from './file-key-store.ts'
import type { KeptReceipt, ReceiptStore } from './receipts.ts'

export class FileReceiptStore implements ReceiptStore {
  readonly #file: FileKeyStore

  constructor(path: string) {
    this.#file = new FileKeyStore(path)
  }

  async get(document: string): Promise<KeptReceipt | undefined> {
    const text = await this.#file.get(document)
    return text === undefined ? undefined : (JSON.parse(text) as KeptReceipt)
  }

  put(document: string, kept: KeptReceipt): Promise<void> {
    return this.#file.set(document, JSON.stringify(kept))
  }
}
