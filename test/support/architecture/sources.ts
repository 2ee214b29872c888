/** Reads the sources as text, and their code without comments and literals. */
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '../../..')

export interface Source {
  /** The path from the root, such as `src/engine/lane.ts`. */
  path: string
  text: string
  lines: readonly string[]
  /** The text with comments and literals blanked out; every line keeps its length. */
  code: string
}

/** Reads every file below these folders that has one of these endings. */
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

const read = (path: string): Source => sourceOf(path, readFileSync(join(root, path), 'utf8'))

export const sourceOf = (path: string, text: string): Source => ({
  path,
  text,
  lines: text.split('\n'),
  code: codeOf(text),
})

const comment = String.raw`\/\*[^]*?\*\/|\/\/[^\n]*`
const literal = String.raw`'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|` + '`(?:\\\\.|[^`\\\\])*`'
/** After an operator or a bracket, a slash begins a regular expression. */
const regex = String.raw`(?<=[(,=:[!&|?]\s*)\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n])+\/[a-z]*`
const commentOrLiteral = new RegExp(`${comment}|${literal}|${regex}`, 'g')

const codeOf = (text: string): string =>
  text.replace(commentOrLiteral, (match) => match.replaceAll(/[^\n]/g, ' '))

/** Finds the bodies of functions: where each starts, and how many lines it has. */
export const functionsOf = ({ code }: Source): { line: number; length: number }[] => {
  const open: { line: number; isFunction: boolean }[] = []
  const functions: { line: number; length: number }[] = []
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
    if (block?.isFunction === true)
      functions.push({ line: block.line, length: line - block.line + 1 })
  }
  return functions
}

/** The lines that spread a literal, as `...{ a, b }` does; `...[a, b].map(f)` spreads a call. */
export const literalSpreadsOf = ({ code }: Source): number[] =>
  [...code.matchAll(/\.\.\.\s*[{[]/g)].flatMap(({ index, 0: spread }) => {
    const end = closingBracket(code, index + spread.length - 1)
    const isLiteral = /^\s*(?:[,)}\]]|as\b|satisfies\b)/.test(code.slice(end + 1))
    return isLiteral ? [code.slice(0, index).split('\n').length] : []
  })

const closingBracket = (code: string, opening: number): number => {
  let depth = 0
  for (let i = opening; i < code.length; i += 1) {
    if ('{[('.includes(code[i]!)) depth += 1
    if ('}])'.includes(code[i]!)) depth -= 1
    if (depth === 0) return i
  }
  return code.length
}

/** Where functions, methods and the types of functions have parameters, and how many. */
export const parametersOf = ({ code }: Source): { line: number; count: number }[] =>
  [...code.matchAll(/\(/g)].flatMap(({ index }) => {
    const end = closingBracket(code, index)
    const before = code.slice(Math.max(0, index - 80), index)
    const after = code.slice(end + 1, end + 300)
    const isArrow = /^\s*(?::[^;]{0,200}?)?\s*=>/.test(after)
    const isMethod =
      /\n +(?:(?:async|function) )?(?!(?:if|for|while|switch|catch)\b)#?\w+(?:<[^()]*>)?$/.test(
        before,
      ) && /^\s*(?::[^;{=]*)?\{/.test(after)
    if (!isArrow && !isMethod && !/\bfunction\*? *\w*(?:<[^()]*>)?$/.test(before)) return []
    return [
      { line: code.slice(0, index).split('\n').length, count: partsOf(code.slice(index, end)) },
    ]
  })

/** How many parts a list has, apart from a comma at its end. */
const partsOf = (list: string): number => {
  let depth = 0
  let commas = 0
  const inner = list.slice(1).replace(/,\s*$/, '')
  for (const [i, character] of [...inner].entries()) {
    if ('{[(<'.includes(character)) depth += 1
    if ('}])'.includes(character) || (character === '>' && inner[i - 1] !== '=')) depth -= 1
    if (character === ',' && depth === 0) commas += 1
  }
  return inner.trim() === '' ? 0 : commas + 1
}
