/**
 * The walls and the habits of architecture 2 and style 1, as a test. The named exceptions are a
 * ratchet: a list may lose entries, and a new one needs a reason.
 */
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { type Source, functionsOf, root, sourcesOf } from '../support/architecture/sources.ts'
import { type ModuleBoundary, moduleBoundaries } from '../support/architecture/module-boundaries.ts'

const src = sourcesOf(['src'])
const programs = [...src, ...sourcesOf(['scripts', 'bench'])]
const tests = sourcesOf(['test'])
const migrations = sourcesOf(['sql'], ['.sql'])
const everything = [...programs, ...tests]
const documentation = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8')

const isIn = (places: readonly string[], path: string): boolean =>
  places.some((place) => path === `src/${place}` || path.startsWith(`src/${place}/`))

const boundaryViolations = (
  folder: string,
  { valuesFrom, typesFrom: typesFrom = [], modules = [] }: ModuleBoundary,
): string[] =>
  src
    .filter(({ path }) => path.startsWith(`src/${folder}/`))
    .flatMap(({ path, imports }) =>
      imports
        .filter(({ target, isType }) => {
          if (!target.startsWith('src/')) return !modules.includes(target)
          return !isIn([folder, ...valuesFrom, ...(isType ? typesFrom : [])], target)
        })
        .map(({ target, isType }) => `${path} imports ${isType ? 'types of ' : ''}${target}`),
    )

/** Where a pattern is found in the code, comments and literals aside. */
const linesMatching = (sources: readonly Source[], pattern: RegExp): string[] =>
  sources.flatMap(({ path, code }) =>
    code
      .split('\n')
      .flatMap((line, i) => (pattern.test(line) ? [`${path}:${i + 1} ${line.trim()}`] : [])),
  )

const except = (sources: readonly Source[], ...paths: readonly string[]): Source[] =>
  sources.filter(({ path }) => !paths.includes(path))

const sourcesBelow = (...folders: readonly string[]): Source[] =>
  src.filter(({ path }) => isIn(folders, path))

describe('architecture 2: who may import whom', () => {
  for (const [folder, wall] of Object.entries(moduleBoundaries)) {
    test(`${folder} → ${wall.valuesFrom.join(', ') || 'nothing of ours'}`, () => {
      assert.deepEqual(boundaryViolations(folder, wall), [])
    })
  }

  test('ARCHITECTURE.md draws these walls', () => {
    const drawn = [...documentation.matchAll(/^([\w-]+) +→ (.*)$/gm)].map(([, folder, places]) => [
      folder,
      places!.split(', ').toSorted(),
    ])
    const isDrawn = (place: string) =>
      !['core', 'contract'].includes(place) && !/^[\w-]+\.ts$/.test(place)
    const enforced = Object.entries(moduleBoundaries)
      .map(([folder, { valuesFrom }]) => [folder, valuesFrom.filter(isDrawn).toSorted()] as const)
      .filter(([, places]) => places.length > 0)
    assert.deepEqual(Object.fromEntries(drawn), Object.fromEntries(enforced))
  })

  test('every file that ARCHITECTURE.md and STYLE.md name is there', () => {
    const texts = ['ARCHITECTURE.md', 'STYLE.md'].map((name) =>
      readFileSync(join(root, name), 'utf8'),
    )
    const form = /`([\w./-]+\/[\w.-]+\.(?:ts|sql|mjs|py|json))`/g
    const named = texts.flatMap((text) => [...text.matchAll(form)].map(([, path]) => path!))
    const isThere = (path: string) => ['', 'src'].some((at) => existsSync(join(root, at, path)))
    assert(named.length > 100)
    assert.deepEqual(
      named.filter((path) => !isThere(path)),
      [],
    )
  })

  test('only sql.ts imports pg, and the launcher, which asks a server whether it is up', () => {
    const importers = programs.filter(({ imports }) =>
      imports.some(({ target }) => target === 'pg'),
    )
    assert.deepEqual(
      importers.map(({ path }) => path),
      ['src/database/sql.ts', 'src/embedded-postgres/bootstrap.ts'],
    )
  })

  test('no file imports itself by way of others', () => {
    const values = new Map(
      src.map(({ path, imports }) => [
        path,
        imports.flatMap(({ target, isType }) => (isType ? [] : [target])),
      ]),
    )
    const reaches = (from: string, to: string, seen = new Set<string>()): boolean =>
      (values.get(from) ?? []).some((target) => {
        if (target === to) return true
        if (seen.has(target)) return false
        seen.add(target)
        return reaches(target, to, seen)
      })
    assert.deepEqual(
      src.map(({ path }) => path).filter((path) => reaches(path, path)),
      [],
    )
  })

  test('no file is dead: each is reached from main, a script or the benchmark', () => {
    const reached = new Set(programs.filter(({ path }) => !path.startsWith('src/')))
    const main = src.find(({ path }) => path === 'src/main.ts')!
    for (const source of reached.add(main)) {
      for (const { target } of source.imports) {
        const imported = src.find(({ path }) => path === target)
        if (imported !== undefined) reached.add(imported)
      }
    }
    const dead = src.filter((source) => !reached.has(source))
    assert.deepEqual(
      dead.map(({ path }) => path),
      [],
    )
  })
})

describe('style 8, 10, 11: what is not called where', () => {
  test('core has no clock, no chance, no environment, and nothing in it awaits', () => {
    const effects =
      /Date\.now|new Date\(\)|performance\.|Math\.random|random(Bytes|UUID|Int)|process\./
    assert.deepEqual(linesMatching(sourcesBelow('core', 'contract'), effects), [])
    assert.deepEqual(
      linesMatching(sourcesBelow('core', 'contract'), /\b(async|await|Promise)\b/),
      [],
    )
  })

  test('decisions draw time from the database and chance from the world', () => {
    const clock = /Date\.now|new Date\(\)/
    // These compare with the clock of the process; each is a known exception.
    const known = [
      'src/operations/document-list.ts',
      'src/operations/documents.ts',
      'src/operations/idempotency.ts',
      'src/operations/keys.ts',
      'src/store/identity/key-last-used.ts',
    ]
    const bound = sourcesBelow('engine', 'changes', 'operations', 'store')
    assert.deepEqual(linesMatching(except(bound, ...known), clock), [])
    assert.deepEqual(linesMatching(programs, /Math\.random/), [])
  })

  test('only config.ts reads the environment, and the launcher its PATH', () => {
    const others = except(src, 'src/config.ts', 'src/embedded-postgres/binaries.ts')
    assert.deepEqual(linesMatching(others, /process\.env/), [])
  })

  test('nothing prints past the log: no console, and only main and the log write to the streams', () => {
    assert.deepEqual(linesMatching(src, /\bconsole\./), [])
    assert.deepEqual(linesMatching(except(src, 'src/main.ts'), /process\.(stdout|stderr)/), [])
  })

  test('only main ends the process', () => {
    assert.deepEqual(linesMatching(except(src, 'src/main.ts'), /process\.(exit|abort)\(/), [])
  })

  test('no any; in tests only with a reason', () => {
    const any = /(?<![|&])[:<|&]\s*any\b(?!\s*[.(:])|,\s*any\s*>|\bas any\b/
    assert.deepEqual(linesMatching(programs, any), [])
    const unexplained = tests.flatMap(({ path, code, lines }) =>
      code.split('\n').flatMap((line, i) => {
        const isExplained = /no-explicit-any -- \w/.test(lines[i - 1] ?? '')
        return any.test(line) && !isExplained ? [`${path}:${i + 1} ${line.trim()}`] : []
      }),
    )
    assert.deepEqual(unexplained, [])
  })

  test('nothing is left to do later', () => {
    const marks = new RegExp(`\\b(${['TO' + 'DO', 'FIX' + 'ME'].join('|')})\\b`)
    const marked = [...everything, ...migrations].flatMap(({ path, lines }) =>
      lines.flatMap((line, i) => (marks.test(line) ? [`${path}:${i + 1}`] : [])),
    )
    assert.deepEqual(marked, [])
  })
})

describe('style 15: small by habit', () => {
  test('a line has at most 100 characters, unless one literal fills it', () => {
    const long = everything.flatMap(({ path, lines, code }) => {
      const bare = code.split('\n')
      return lines.flatMap((line, i) => {
        const isComment = /^\s*(\/\/|\/?\*)/.test(line)
        const rest = bare[i]!.replaceAll(/\s+/g, ' ')
        const isLiteral = !isComment && (rest.length < 60 || /^\s*`/.test(line))
        const isLong = [...line].length > 100 && !isLiteral
        return isLong ? [{ place: `${path}:${i + 1}`, isComment }] : []
      })
    })
    const [comments, code] = [true, false].map((isComment) =>
      long.filter((one) => one.isComment === isComment).map(({ place }) => place),
    )
    assert.deepEqual(code, [], 'npx oxfmt breaks them')
    const known = 0
    assert(comments!.length <= known, `more comments than before are too long: ${comments}`)
  })

  test('a file has at most 300 lines; tables and the one straight-line story may be longer', () => {
    const known = ['src/contract/document-types.ts', 'src/database/rows.ts']
    const long = everything.filter(({ lines }) => lines.length > 301).map(({ path }) => path)
    assert.deepEqual(
      long.filter((path) => !known.includes(path)),
      [],
    )
  })

  test('a function has at most 70 lines', () => {
    const known: Record<string, number> = {
      'src/engine/batched-write.ts': 72,
      'bench/index.ts': 71,
    }
    const long = programs.flatMap((source) =>
      functionsOf(source)
        .filter(({ length }) => length > (known[source.path] ?? 70))
        .map(({ line, length }) => `${source.path}:${line} has ${length} lines`),
    )
    assert.deepEqual(long, [])
  })
})

describe('style 12: SQL', () => {
  test('every table has a comment, every index names its query', () => {
    for (const { path, text, lines } of migrations) {
      for (const [, table] of text.matchAll(/^create table (\w+)/gm)) {
        assert(text.includes(`comment on table ${table} is '`), `${path}: ${table} has no comment`)
      }
      lines.forEach((line, i) => {
        if (!/^create (unique )?index/.test(line)) return
        const before = lines.slice(0, i).findLast((above) => !/^create (unique )?index/.test(above))
        assert.match(before ?? '', /^--/, `${path}:${i + 1} says nothing of its query`)
      })
    }
  })

  test('migrations are numbered without a gap, and are lower case', () => {
    migrations.forEach(({ path, code }, i) => {
      assert(path.startsWith(`sql/${String(i + 1).padStart(4, '0')}-`), path)
      assert.doesNotMatch(code.replaceAll(/--.*/g, ''), /\b(CREATE|SELECT|TABLE|INDEX|NOT NULL)\b/)
    })
  })
})
