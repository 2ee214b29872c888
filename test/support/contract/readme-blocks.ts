/** The code blocks of a README, each with the heading that it stands under. */
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../../..')

export interface ReadmeBlock {
  heading: string
  /** Empty for output and usage. */
  language: string
  text: string
}

export const readmeBlocks = (file: string): ReadmeBlock[] => {
  const blocks: ReadmeBlock[] = []
  let heading = ''
  const parts = /^#+ (?<title>.+)$|^```(?<language>\w*)\n(?<text>[\s\S]*?)^```$/gm
  for (const { groups = {} } of readFileSync(join(root, file), 'utf8').matchAll(parts)) {
    const { title, language = '', text = '' } = groups
    if (title === undefined) blocks.push({ heading, language, text })
    else heading = title
  }
  return blocks
}
