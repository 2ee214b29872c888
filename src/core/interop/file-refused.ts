/** Thrown for a file that cannot be read: a sentence that says why, and what to send instead. */
export class FileRefused extends Error {
  readonly fix: string

  constructor(message: string, fix: string = anyFormat) {
    super(message)
    this.fix = fix
  }
}

const anyFormat =
  'send a UBL Invoice or CreditNote, a CII, a Factur-X PDF, or a CSV as format=csv writes it'
