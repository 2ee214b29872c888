/** What every operator's command is made of. */
import type { Session } from '../src/sql.ts'

/** Something the operator can put right; said in one line. */
export class BadInput extends Error {}

export interface Given {
  words: readonly string[]
  options: Readonly<Record<string, string | undefined>>
  /** Read from standard input, already hashed. */
  passwordHash: string | null
  baseUrl: string
}

/** What was acted upon, what is recorded of it, what the operator reads. */
export interface Done {
  subject: string
  detail: object
  says: readonly string[]
}

export interface Command {
  /** Declares the command: <words> first, --options with a value, [--flags]. */
  usage: string
  run(tx: Session, given: Given): Promise<Done>
}
