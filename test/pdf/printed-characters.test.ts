/** Domain 7: the checks know which characters the fonts of PDFs have. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import Pdf from 'pdfkit'
import { isPrinted } from '../../src/core/interop/printed-characters.ts'

interface LoadedFont {
  _font: { font: { hasGlyphForCodePoint(codePoint: number): boolean } }
}

const lineEnds = ['\t', '\n', '\r', '\u2028', '\u2029']

for (const name of ['Inter-Regular', 'Inter-SemiBold']) {
  test(`a character is printed exactly if ${name} has it`, () => {
    const font = fileURLToPath(new URL(`../../src/pdf/fonts/${name}.ttf`, import.meta.url))
    // The types of pdfkit leave out the font of fontkit that it has loaded.
    const { _font } = new Pdf({ font }) as unknown as LoadedFont
    for (let codePoint = 0; codePoint < 0x2_0000; codePoint++) {
      const character = String.fromCodePoint(codePoint)
      if (lineEnds.includes(character)) continue
      const isKnown = _font.font.hasGlyphForCodePoint(codePoint)
      if (isPrinted(character) !== isKnown) assert.fail(`U+${codePoint.toString(16)}: ${isKnown}`)
    }
  })
}
