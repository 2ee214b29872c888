/**
 * Checks the rules of STYLE.md and the map of ARCHITECTURE.md. The lists of exceptions may only get
 * shorter; a new entry needs a reason.
 */
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, test } from 'node:test'
import {
  type Source,
  functionsOf,
  literalSpreadsOf,
  root,
  sourcesOf,
} from '../support/architecture/sources.ts'

const src = sourcesOf(['src'])
const sdk = sourcesOf(['sdk/src']).filter(({ path }) => !path.includes('/generated/'))
const cli = sourcesOf(['cli/src']).filter(({ path }) => !path.includes('/generated/'))
const programs = [...src, ...sourcesOf(['scripts', 'bench']), ...sdk, ...cli]
const tests = sourcesOf(['test', 'sdk/test', 'cli/test'])
const migrations = sourcesOf(['sql'], ['.sql'])
const console = sourcesOf(['console/src'], ['.ts', '.tsx'])
const everything = [...programs, ...tests]
const decisions = sourcesOf(['docs/decisions'], ['.md'])
const documentation = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8')

const isIn = (places: readonly string[], path: string): boolean =>
  places.some((place) => path === `src/${place}` || path.startsWith(`src/${place}/`))

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

test('in CI a program that is missing fails its tests, which are skipped elsewhere', () => {
  const isAsked = tests.some(({ text }) => text.includes("process.env['CI'] === 'true'"))
  assert(isAsked)
  assert.match(readFileSync(join(root, '.ci/run'), 'utf8'), /^export CI=true$/m)
})

describe('architecture: who may import whom', () => {
  test('ARCHITECTURE.md draws the boundaries that dependency-cruiser enforces', async () => {
    const config = join(root, '.dependency-cruiser.mjs')
    const { boundaries } = (await import(config)) as {
      boundaries: Record<string, { values: readonly string[] }>
    }
    const drawn = [...documentation.matchAll(/^([\w-]+) +→ (.*)$/gm)].map(([, folder, places]) => [
      folder,
      places!.split(', ').toSorted(),
    ])
    const isDrawn = (place: string) =>
      !['core', 'contract', 'context'].includes(place) && /^[\w-]+$/.test(place)
    const enforced = Object.entries(boundaries)
      .map(([folder, { values }]) => [folder, values.filter(isDrawn).toSorted()] as const)
      .filter(([, places]) => places.length > 0)
    assert.deepEqual(Object.fromEntries(drawn), Object.fromEntries(enforced))
  })

  test('every file that the documents name is there', () => {
    const named = [
      'README.md',
      'CONTRIBUTING.md',
      'ARCHITECTURE.md',
      'STYLE.md',
      'CHANGELOG.md',
      'bench/README.md',
      'bench/history.md',
    ]
    const texts = [
      ...named.map((name) => readFileSync(join(root, name), 'utf8')),
      ...decisions.map(({ text }) => text),
    ]
    const form = /`(\w[\w./-]*\/[\w.-]+\.(?:tsx?|sql|mjs|py|json|md|sh|css))`/g
    const files = texts.flatMap((text) => [...text.matchAll(form)].map(([, path]) => path!))
    const places = ['', 'src', 'console/src', 'docs', 'test']
    const isThere = (path: string) => places.some((at) => existsSync(join(root, at, path)))
    assert(files.length > 30)
    assert.deepEqual(
      files.filter((path) => !isThere(path)),
      [],
    )
  })

  test('every link of README.md and docs/operating leads to a file and a heading', () => {
    const pages = sourcesOf(['docs/operating'], ['.md']).map(({ path }) => path)
    const read = (path: string) => readFileSync(join(root, path), 'utf8')
    const anchorsOf = (path: string) =>
      [...read(path).matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
        heading!
          .toLowerCase()
          .replaceAll(/[^\w -]/g, '')
          .replaceAll(' ', '-'),
      )
    const isThere = (from: string, target: string) => {
      const [path, anchor] = target.split('#') as [string, string?]
      const file = join(dirname(from), path)
      if (!existsSync(join(root, file))) return false
      return anchor === undefined || anchorsOf(file).includes(anchor)
    }
    const links = ['README.md', ...pages].flatMap((from) =>
      [...read(from).matchAll(/\]\((?!http)([^)]+)\)/g)].map(
        ([, target]) => [from, target!] as const,
      ),
    )
    assert(links.length > 15)
    assert.deepEqual(
      links.filter((link) => !isThere(...link)),
      [],
    )
  })
})

describe('style 8, 10, 11: what is not called where', () => {
  test('core has no clock, no randomness, no environment, and nothing in it awaits', () => {
    const effects =
      /Date\.now|new Date\(\)|performance\.|Math\.random|random(Bytes|UUID|Int)|process\./
    assert.deepEqual(linesMatching(sourcesBelow('core', 'contract'), effects), [])
    assert.deepEqual(
      linesMatching(sourcesBelow('core', 'contract'), /\b(async|await|Promise)\b/),
      [],
    )
  })

  test('decisions get time and randomness as arguments, not from the process', () => {
    const clock = /Date\.now|new Date\(\)/
    // These compare with the clock of the process; each is a known exception.
    const known = [
      'src/operations/documents/list.ts',
      'src/operations/documents/replies.ts',
      'src/operations/identity/keys.ts',
      'src/store/identity/key-last-used.ts',
    ]
    const bound = sourcesBelow('engine', 'changes', 'operations', 'store')
    assert.deepEqual(linesMatching(except(bound, ...known), clock), [])
    assert.deepEqual(linesMatching(programs, /Math\.random/), [])
  })

  test('only config.ts reads the environment, and the embedded PostgreSQL its PATH', () => {
    const others = except(src, 'src/config.ts', 'src/embedded-postgres/binaries.ts')
    assert.deepEqual(linesMatching(others, /process\.env/), [])
  })

  test('only main prints: no console, and no other file has the standard streams', () => {
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

test('style 2: a file begins with its header', () => {
  const bare = [...everything, ...console].filter(({ text }) => !/^(?:#!.*\n)?\/\*\*/.test(text))
  assert.deepEqual(
    bare.map(({ path }) => path),
    [],
  )
})

test('style 2: a file imports a module once', () => {
  const repeated = [...everything, ...console].flatMap(({ path, text }) => {
    const [block = ''] = /(?:^import [^']*'[^']+'\n+)+/m.exec(text) ?? []
    const modules = [...block.matchAll(/'([^']+)'\n/g)].map(([, module]) => module!)
    const again = modules.filter((module, i) => modules.indexOf(module) !== i)
    return again.map((module) => `${path}: ${module}`)
  })
  assert.deepEqual(repeated, [])
})

test('style 2: node: is imported first, then packages, then what is ours', () => {
  const rank = (from: string) => (from.startsWith('node:') ? 0 : from.startsWith('.') ? 2 : 1)
  const mixed = everything.filter(({ text }) => {
    const [block = ''] = /(?:^import [^']*'[^']+'\n+)+/m.exec(text) ?? []
    const ranks = [...block.matchAll(/'([^']+)'\n/g)].map(([, from]) => rank(from!))
    return ranks.some((one, i) => one < (ranks[i - 1] ?? 0))
  })
  assert.deepEqual(
    mixed.map(({ path }) => path),
    [],
  )
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
    assert.deepEqual(comments, [])
  })

  test('a file has at most 300 lines; only a table may be longer', () => {
    const tables = [
      'src/contract/document-types.ts',
      'src/contract/terms-forms.ts',
      'src/database/columns.ts',
    ]
    const others = except([...everything, ...console], ...tables)
    const long = others.filter(({ lines }) => lines.length > 301).map(({ path }) => path)
    assert.deepEqual(long, [])
  })

  test('no literal is spread, and no part of a union is bracketed, only to save lines', () => {
    const spread = [...everything, ...console].flatMap((source) =>
      literalSpreadsOf(source).map((line) => `${source.path}:${line}`),
    )
    assert.deepEqual(spread, [])
    // The same for the members of a union.
    assert.deepEqual(linesMatching([...everything, ...console], /^\s*\| \( *(\| *)*\)$/), [])
  })

  test('a function has at most 70 lines', () => {
    const long = programs.flatMap((source) =>
      functionsOf(source)
        .filter(({ length }) => length > 70)
        .map(({ line, length }) => `${source.path}:${line} has ${length} lines`),
    )
    assert.deepEqual(long, [])
  })
})

describe('style 12: SQL', () => {
  test('every table has a comment, and every index names its query', () => {
    for (const { path, text, lines } of migrations) {
      for (const [, table] of text.matchAll(/^create table (\w+)/gm)) {
        assert(text.includes(`comment on table ${table} is '`), `${path}: ${table} has no comment`)
      }
      lines.forEach((line, i) => {
        if (!/^create (unique )?index/.test(line)) return
        const before = lines.slice(0, i).findLast((above) => !/^create (unique )?index/.test(above))
        assert.match(before ?? '', /^--/, `${path}:${i + 1} does not name its query`)
      })
    }
  })

  test('the clock is that of PostgreSQL itself, wherever the names of a session lead', () => {
    const others = src.filter(({ text }) =>
      /^(?! *(?:\*|\/[/*])).*(?<!pg_catalog\.)\bclock_timestamp/m.test(text),
    )
    assert.deepEqual(
      others.map(({ path }) => path),
      [],
    )
  })

  test('migrations are numbered without a gap, and are lower case', () => {
    migrations.forEach(({ path, code }, i) => {
      assert(path.startsWith(`sql/${String(i + 1).padStart(4, '0')}-`), path)
      assert.doesNotMatch(code.replaceAll(/--.*/g, ''), /\b(CREATE|SELECT|TABLE|INDEX|NOT NULL)\b/)
    })
  })
})
