/** What each check of a proof has found, for people. Its code is for the operator and FORMAT.md. */
const texts: Record<string, string> = {
  // The file and its notes.
  TRUST: 'The key to trust is not that of a log.',
  DIGEST: 'The file has another digest.',
  JSON: 'The file is not JSON.',
  CANONICAL: 'The text was written anew, not as the service writes it.',
  FORMAT: 'The file is no proof, or one of another format.',
  SHAPE: 'A field is missing, unknown or malformed.',
  NOTE: 'A signed note is malformed.',
  ORIGIN: 'It is of a log that is not trusted here.',
  SIGNATURE: 'A signature is missing or wrong.',
  KEY_WINDOW: 'A key has signed outside of its time.',
  WITNESS: 'Too few witnesses have signed.',
  // The entries.
  STREAM: 'An entry belongs to another document.',
  CHAIN: 'The chain of the entries is broken.',
  ORDER: 'The entries are not in the order of their times.',
  ROLE: 'It shows what only the other side may read.',
  COMMITMENT: 'The content is not what was recorded with the entry.',
  WITHHELD: 'Content is left out that this side may read.',
  REPLAY: 'The entries do not lead to this state.',
  PARTY: 'The signature of a party is missing or wrong.',
  PLEDGE: 'The pledge of the invoice does not fit the loan.',
  INCLUSION: 'The entry is not in the log.',
  HEAD: 'The last entry is not the one that was signed.',
  SPLIT_VIEW: 'The log was shown in two versions.',
  // Only the service can check these.
  MAC: 'The entry was not written by this service.',
  GUARD: 'A row of the record was changed or deleted.',
  LINK: 'The link to another document is not in both histories.',
  HOLD: 'An earlier check has put it on hold.',
  CHECKPOINT: 'The log is not the one that was signed.',
  ATTACHMENT: 'A file is not the one that was attached.',
  LEDGER: 'A posting of the payment is missing or was changed.',
}

export const checkText = (check: string): string => texts[check] ?? 'It could not be checked.'
