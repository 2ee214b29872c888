/** The records of decisions and their list: a reader of any of them finds the others about it. */
import assert from 'node:assert/strict'
import { basename } from 'node:path'
import { test } from 'node:test'
import { sourcesOf } from '../support/architecture/sources.ts'

const sources = sourcesOf(['docs/decisions'], ['.md'])
const list = sources.find(({ path }) => path.endsWith('/README.md'))!
const records = sources
  .filter((source) => source !== list)
  .map(({ path, text }) => ({ file: basename(path), number: basename(path).slice(0, 4), text }))

/** What follows the heading: whether the record holds, and what it continues or replaces. */
const statusOf = ({ text }: { text: string }): string =>
  (text.split('\n\n')[1] ?? '').replaceAll(/\s+/g, ' ')

test('the list names every decision once, by its number and its title', () => {
  const rows = [...list.text.matchAll(/^\| \[(\d{4})\]\((.+?)\) \| (.+?) \|/gm)]
  assert.deepEqual(
    rows.map(([, number, file, title]) => `${file}: # ${number} ${title}`).toSorted(),
    records.map(({ file, text }) => `${file}: ${text.split('\n')[0]}`).toSorted(),
  )
})

test('a decision says first whether it holds, in a sentence', () => {
  const others = records.filter(
    (one) =>
      !/^\*\*Status\.\*\* (?:Accepted$|(?:Accepted\.|Superseded by \[)[^]*\.$)/.test(statusOf(one)),
  )
  assert.deepEqual(
    others.map(({ file }) => file),
    [],
  )
})

/** The numbers of the sentences of a status that begin with these words, each a link. */
const namedAfter = (record: { text: string }, words: RegExp): string[] =>
  statusOf(record)
    .split(/(?<=\.) (?=[A-Z])/)
    .filter((sentence) => words.test(sentence))
    .flatMap((sentence) => [...sentence.matchAll(/\[(\d{4})\]\(/g)].map(([, number]) => number!))

const relations = [
  ['Continues', /^Continues /, /^Continued by /],
  ['Replaces', /^Replaces /, /(?:Superseded|\b[Rr]eplaced) by /],
] as const

for (const [name, later, earlier] of relations) {
  test(`a decision that ${name.toLowerCase()} another is named where the other begins`, () => {
    const forward = records.flatMap((one) =>
      namedAfter(one, later).map((other) => `${one.number} after ${other}`),
    )
    const backward = records.flatMap((one) =>
      namedAfter(one, earlier).map((other) => `${other} after ${one.number}`),
    )
    assert(forward.length > 0)
    assert.deepEqual(forward.toSorted(), backward.toSorted())
  })
}

test('a status has no other word for what continues a decision', () => {
  const others = records.filter((one) => /It continues|[Ee]xtend/.test(statusOf(one)))
  assert.deepEqual(
    others.map(({ file }) => file),
    [],
  )
})
