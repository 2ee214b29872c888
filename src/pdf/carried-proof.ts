/** The proof bundle that a PDF carries (verifier/FORMAT.md, 18), and what its page says of it. */
import type { Words } from './languages.ts'
import type { Sheet } from './sheet.ts'

export interface CarriedProof {
  /** The name of the file. */
  name: string
  /** The bundle, byte for byte as the export of the document. */
  text: string
  /** The last event that it proves. */
  seq: number
  /** SHA-256 of the text in hex. */
  digest: string
}

export const attachProof = (sheet: Sheet, { name, text }: CarriedProof): void =>
  sheet.attach({
    name,
    content: Buffer.from(text),
    mediaType: 'application/json',
    relationship: 'Supplement',
    description: 'Proof bundle',
  })

export const proofLines = ({ name, seq, digest }: CarriedProof, words: Words): string[] => [
  words.proofMeaning(name, seq),
  `SHA-256 ${digest}`,
  words.proofCheck,
]
