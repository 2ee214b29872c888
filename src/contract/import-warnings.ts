/** What an import takes as it is and warns of, by the codes in its report (contract 12). */
export const importWarnings = {
  buyer_differs:
    'The file names another buyer: by its VAT number, else its company number, its electronic address or its name, where both sides have one.',
} as const

export const importWarningCodes = Object.keys(importWarnings) as (keyof typeof importWarnings)[]
