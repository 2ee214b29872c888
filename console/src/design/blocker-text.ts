/** What an organization is still missing, as what is to be done about it. */
import { wordsOf } from './format.tsx'

const blockerTexts: Readonly<Record<string, string>> = {
  verification: 'The operator of this service verifies the organization, by its id.',
  borrower_setup: 'Switch borrowing on, in Finance.',
  lender_setup: 'Switch lending on, in Finance.',
  payer_processor: 'The operator connects the payer to a payment processor.',
  payee_processor: 'The operator connects the payee to a payment processor.',
}

export const blockerText = (name: string): string => blockerTexts[name] ?? wordsOf(name)
