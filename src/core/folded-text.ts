/** Text as searches compare it (contract 8, docs/decisions/0243). */

const diacritics = /\p{M}/gu

/** Letters that no decomposition separates from the plain ones that people type for them. */
const plainLetters: Readonly<Record<string, string>> = {
  ß: 'ss',
  ς: 'σ',
  ı: 'i',
  ł: 'l',
  ø: 'o',
  đ: 'd',
  ħ: 'h',
  æ: 'ae',
  œ: 'oe',
  ð: 'd',
  þ: 'th',
}
const otherLetters = new RegExp(`[${Object.keys(plainLetters).join('')}]`, 'g')

/** Without case, accents and other forms of the same letter. */
export const foldedText = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(diacritics, '')
    .toLowerCase()
    .replace(otherLetters, (letter) => plainLetters[letter]!)
