/** Colours, and text from elsewhere on a terminal. */
import { stripVTControlCharacters, styleText } from 'node:util'
import type { Io } from './io.ts'

type Format = 'red' | 'green' | 'yellow' | 'bold' | 'dim'

/** https://no-color.org: any value turns colours off. They are never in the output of a pipe. */
export const styled = ({ env, stderr }: Pick<Io, 'env' | 'stderr'>, format: Format, text: string) =>
  stderr.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb'
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
