/** What a run of the command line reads and writes. Only `main.ts` has those of the process. */

export interface Sink {
  write(chunk: string | Uint8Array): unknown
  isTTY?: boolean | undefined
  columns?: number | undefined
}

export interface Io {
  env: Readonly<Record<string, string | undefined>>
  stdin: NodeJS.ReadableStream & { isTTY?: boolean | undefined }
  stdout: Sink
  stderr: Sink
  /** Aborts on Ctrl-C, and when nobody reads the output any more. */
  signal: AbortSignal
}
