/**
 * Screenshots for the eyes of whoever works on the console; made where they are asked for, and made
 * smaller by ImageMagick where it is installed.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from './browser.ts'
import { withSteadyTexts } from './steady-text.ts'

export const screenshots = process.env['SCREENSHOTS'] === '1'
const screenshotFolder = join(import.meta.dirname, '../../../console/screenshots')

interface Appearance {
  width: number
  colorScheme: 'light' | 'dark'
}

const inShort: readonly Appearance[] = [
  { width: 1440, colorScheme: 'light' },
  { width: 390, colorScheme: 'dark' },
]

export const allAppearances: readonly Appearance[] = [
  ...inShort,
  { width: 1440, colorScheme: 'dark' },
  { width: 390, colorScheme: 'light' },
]

/** With few colours, a picture is a third as large, and looks the same. */
const shrink = (path: string): void => {
  const options = [
    '-strip',
    '-dither',
    'None',
    '-colors',
    '128',
    '-define',
    'png:compression-level=9',
  ]
  spawnSync('/usr/bin/convert', [path, ...options, `png8:${path}`])
}

export const showAs = async (page: Page, { width, colorScheme }: Appearance): Promise<void> => {
  await page.setViewportSize({ width, height: 900 })
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
  // The next frame may still have the colours of the other scheme.
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done, 100)))')
}

/** The page as it is now, wide and narrow, and then again as it was. */
export const picture = async (
  page: Page,
  name: string,
  appearances: readonly Appearance[] = inShort,
): Promise<void> => {
  if (!screenshots) return
  mkdirSync(screenshotFolder, { recursive: true })
  for (const appearance of appearances) {
    await showAs(page, appearance)
    const { width, colorScheme } = appearance
    const path = join(screenshotFolder, `${name}-${width}-${colorScheme}.png`)
    await withSteadyTexts(page, () => page.screenshot({ path }))
    shrink(path)
  }
  await showAs(page, { width: 1440, colorScheme: 'light' })
}
