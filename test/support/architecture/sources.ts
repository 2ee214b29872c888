/** The sources as text: what they import, and their code without comments and literals. */
import { readFileSync, readdirSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

export const root = join(import.meta.dirname, '../..', '..')

export interface Import {
  /** A path below `src` for our own files, else the name of the module. */
  target: string
  isType: boolean
}

export interface Source {
  /** From the root: `src/engine/lane.ts`. */
  path: string
  text: string
  lines: readonly string[]
  /** The text with comments and literals blanked out, line by line as long as before. */
  code: string
  imports: readonly Import[]
}

/** Every file below these folders with one of these endings. */
export const sourcesOf = (
  folders: readonly string[],
  endings: readonly string[] = ['.ts'],
): Source[] =>
  folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => endings.some((ending) => name.endsWith(ending)))
      .toSorted()
      .map((name) => read(join(folder, name))),
  )

const read = (path: string): Source => {
  const text = readFileSync(join(root, path), 'utf8')
  return { path, text, lines: text.split('\n'), code: codeOf(text), imports: importsOf(path, text) }
}

const importStatement = /^(?:import|export)\s+(type\s+)?([^'"]*?)\s*from\s+'([^']+)'/gm
const inlineImport = /\bimport\((?:\s*)'([^']+)'\)/g

const importsOf = (path: string, text: string): Import[] => {
  const named = [...text.matchAll(importStatement)].map(([, type, names = '', target = '']) => ({
    target: resolveTarget(path, target),
    isType: type !== undefined || onlyTypes(names),
  }))
  // import('node:net').Socket names a type; nothing here is imported while it runs.
  const types = [...text.matchAll(inlineImport)].map(([, target = '']) => ({
    target: resolveTarget(path, target),
    isType: true,
  }))
  return [...named, ...types]
}

const onlyTypes = (names: string): boolean => {
  const list = /^\{([^}]*)\}$/.exec(names)?.[1]?.split(',') ?? ['a value']
  return list.map((name) => name.trim()).every((name) => name === '' || name.startsWith('type '))
}

const resolveTarget = (path: string, target: string): string =>
  target.startsWith('.') ? relative(root, join(root, dirname(path), target)) : target

const comment = String.raw`\/\*[^]*?\*\/|\/\/[^\n]*`
const literal = String.raw`'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|` + '`(?:\\\\.|[^`\\\\])*`'
/** After an operator or a bracket a slash begins a regular expression. */
const regex = String.raw`(?<=[(,=:[!&|?]\s*)\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n])+\/[a-z]*`
const commentOrLiteral = new RegExp(`${comment}|${literal}|${regex}`, 'g')

const codeOf = (text: string): string =>
  text.replace(commentOrLiteral, (found) => found.replaceAll(/[^\n]/g, ' '))

/** Blocks that belong to a function: the line on which they start, and how many lines they have. */
export const functionsOf = ({ code }: Source): { line: number; length: number }[] => {
  const open: { line: number; isFunction: boolean }[] = []
  const found: { line: number; length: number }[] = []
  let line = 1
  for (const [i, character] of [...code].entries()) {
    if (character === '\n') line += 1
    if (character === '{')
      open.push({
        line,
        isFunction: /(=>|\)(\s*:[^;{}]*)?)\s*$/.test(code.slice(Math.max(0, i - 200), i)),
      })
    if (character !== '}') continue
    const block = open.pop()
    if (block?.isFunction === true) found.push({ line: block.line, length: line - block.line + 1 })
  }
  return found
}
