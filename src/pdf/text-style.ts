/** How the texts of a PDF look: colors, sizes and fonts. */

type Color = 'ink' | 'quiet' | 'line' | 'accent' | 'watermark'

export const colors: Readonly<Record<Color, string>> = {
  ink: '#17202b',
  quiet: '#5c6875',
  line: '#d5dbe1',
  accent: '#1d4f73',
  watermark: '#b42318',
}

export type Font = 'regular' | 'strong'

export interface TextStyle {
  size?: number
  font?: Font
  color?: string
  /** The place is its right end. */
  alignRight?: boolean
}

export const bodySize = 9

/** The style of titles and names beside what they name. */
export const label = { size: 7.5, color: colors.quiet } as const

export const lineHeight = ({ size = bodySize }: TextStyle = {}): number => size * 1.4
