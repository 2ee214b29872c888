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
const statusOf = ({ text }: { text: string }): string => text.split('\n\n')[1] ?? ''

test('the list names every decision once, by its number and its title', () => {
  const rows = [...list.text.matchAll(/^\| \[(\d{4})\]\((.+?)\) \| (.+?) \|/gm)]
  assert.deepEqual(
    rows.map(([, number, file, title]) => `${file}: # ${number} ${title}`).toSorted(),
    records.map(({ file, text }) => `${file}: ${text.split('\n')[0]}`).toSorted(),
  )
})

test('a decision says first whether it holds', () => {
  const others = records.filter(
    (one) => !/^\*\*Status\.\*\* (?:Accepted|Superseded)/.test(statusOf(one)),
  )
  assert.deepEqual(
    others.map(({ file }) => file),
    [],
  )
})

test('a decision that a later one continues, extends or replaces names it', () => {
  const silent = records.flatMap((later) => {
    const verbs = /\b(?:continues|extends|replaces) (?:[^.]|\.md)*/gi
    const named = statusOf(later).match(verbs)?.join(' ') ?? ''
    const numbers = [...named.matchAll(/\b\d{4}\b/g)].map(([number]) => number)
    return records
      .filter(({ number, text }) => numbers.includes(number) && !text.includes(later.number))
      .map(({ number }) => `${number} does not name ${later.number}`)
  })
  assert.deepEqual(silent, [])
})
