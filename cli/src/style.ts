/** Colours, and text from elsewhere on a terminal. */
import { stripVTControlCharacters, styleText } from 'node:util'
import type { Io, Sink } from './io.ts'

type Format = 'red' | 'green' | 'yellow' | 'bold' | 'dim'

interface Output extends Pick<Io, 'env'> {
  sink: Sink
}

export const stdoutOf = ({ env, stdout: sink }: Io): Output => ({ env, sink })
export const stderrOf = ({ env, stderr: sink }: Io): Output => ({ env, sink })

/** https://no-color.org: any value turns colours off. They are never in the output of a pipe. */
export const styled = ({ env, sink }: Output, format: Format, text: string): string =>
  sink.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb'
    ? styleText(format, text, { validateStream: false })
    : text

/** Text of a counterparty must not move the cursor or hide what is there. Our styles stay. */
export const withoutControls = (text: string): string => text.replaceAll(controls, ' ')

// oxlint-disable no-control-regex -- these are the characters to remove
const controls =
  /(?!\u001b\[\d+m)[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g
// oxlint-enable no-control-regex

/** Foreign text for a cell: one line, no escape sequences at all. */
export const cellText = (text: string): string =>
  withoutControls(stripVTControlCharacters(text)).replaceAll(/\s+/g, ' ').replaceAll('\u001b', ' ')

/** At most so many columns, with an ellipsis where the text was cut. */
export const cut = (text: string, columns: number): string => {
  const characters = charactersOf(text)
  if (columnsOf(characters) <= columns) return text
  let width = '…'.length
  const end = characters.findIndex((one) => (width += columnsOf([one])) > columns)
  return `${characters.slice(0, end).join('')}…`
}

/** Filled with spaces up to so many columns. */
export const filled = (text: string, columns: number, side: 'left' | 'right' = 'right'): string => {
  const spaces = ' '.repeat(Math.max(0, columns - widthOf(text)))
  return side === 'left' ? spaces + text : text + spaces
}

/** How many columns of a terminal a text takes. */
export const widthOf = (text: string): number => columnsOf(charactersOf(text))

const segmenter = new Intl.Segmenter()

/** What a reader sees as characters: half of an emoji would be none. */
const charactersOf = (text: string): string[] =>
  /^[ -~]*$/.test(text) ? [...text] : Array.from(segmenter.segment(text), ({ segment }) => segment)

const columnsOf = (characters: readonly string[]): number =>
  characters.reduce((sum, one) => sum + (wide.test(one) ? 2 : 1), 0)

/** Emoji and the scripts of East Asia take two columns. */
const wide =
  /\p{Emoji_Presentation}|\ufe0f|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]/u
