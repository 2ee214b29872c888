/** Colours code: comments, texts, numbers, words of the language and shell variables. */
import type { Language } from '../blocks.ts'
import { escaped } from '../../core/html-text.ts'

type Kind = 'comment' | 'string' | 'number' | 'keyword' | 'variable' | 'key'

const text = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/
const slashComment = /\/\/[^\n]*|\/\*[\s\S]*?\*\//
const hashComment = /(?<=^|\s)#[^\n]*/
const number = /\b\d+(?:\.\d+)?\b/
const variable = /\$\w+|\$\{\w+\}/

const keywords = (words: string): RegExp => new RegExp(`\\b(?:${words.replaceAll(' ', '|')})\\b`)

const scriptWords = keywords(
  'import from export const let await async function return if else for of throw new try catch true false null undefined',
)

const rules: Partial<Record<Language, readonly (readonly [Kind, RegExp])[]>> = {
  sh: [
    ['comment', hashComment],
    ['variable', variable],
    ['keyword', keywords('curl export node npm npx docex python3')],
    ['key', /(?<=\s)--?[A-Za-z][\w-]*/],
  ],
  json: [
    ['key', /"(?:[^"\\\n]|\\.)*"(?=\s*:)/],
    ['string', text],
    ['number', number],
    ['keyword', keywords('true false null')],
  ],
  http: [['key', /^[A-Za-z-]+(?=:)/m]],
  js: [
    ['comment', slashComment],
    ['string', text],
    ['number', number],
    ['keyword', scriptWords],
  ],
  ts: [
    ['comment', slashComment],
    ['string', text],
    ['number', number],
    ['keyword', scriptWords],
  ],
  python: [
    ['comment', hashComment],
    ['string', text],
    ['number', number],
    [
      'keyword',
      keywords(
        'import from def return if else for in raise with as try except True False None not and or any',
      ),
    ],
  ],
  java: [
    ['comment', slashComment],
    ['string', text],
    [
      'keyword',
      keywords(
        'import class static public final return if else for throws new var boolean String long byte',
      ),
    ],
  ],
  php: [
    ['comment', slashComment],
    ['string', text],
    ['variable', variable],
    ['keyword', keywords('function return if else foreach as true false null string int bool')],
  ],
}

export const highlighted = (language: Language, content: string): string => {
  const own = rules[language]
  if (own === undefined) return escaped(content)
  const pattern = new RegExp(own.map(([, { source }]) => `(${source})`).join('|'), 'gm')
  let html = ''
  let end = 0
  for (const match of content.matchAll(pattern)) {
    const at = match.slice(1).findIndex((group) => group !== undefined)
    const kind = own[at]?.[0] ?? 'string'
    html += `${escaped(content.slice(end, match.index))}<span class="${kind}">${escaped(match[0])}</span>`
    end = match.index + match[0].length
  }
  return html + escaped(content.slice(end))
}
