// Rules for the contents of files and the places of their tests.
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { codeOf, isWithin, production, root, sources, textOf } from './source-files.ts'

/** Folders that write SQL. None of them inserts a caller's text into it. */
const writers = [
  'src/catalog/',
  'src/sql-engine/',
  'src/druid-client/',
  'src/druid-sql/',
  'src/avatica/metadata-sql.ts',
  'src/druid-native/',
  'src/influxql/',
  'src/druid-time/',
  'src/druid-patterns/',
  'src/cli/sql.ts',
  // Shown to a caller, not run.
  'src/metadata/item-query.ts',
  // Contains quoted names, and runs with the reader's own key.
  'portal/src/pages/sql/query.tsx',
  'portal/src/pages/overview/plant-state.ts',
  'portal/src/pages/operate/self-history.ts',
]

test("only the catalog and the SQL engine's code contain SQL", () => {
  const strays = production.filter(
    (file) => !isWithin(file, writers) && /\b(SELECT|INSERT INTO|UPDATE|DELETE FROM)\s+[\w"*]/.test(codeOf(file)),
  )
  expect(strays).toEqual([])
})

test('lookup tables are Maps, not plain objects', () => {
  // A plain object also has `constructor` and `toString`, whatever it was written to contain.
  const strays = production.filter((file) =>
    /^(export )?const \w+: (Readonly<)?Record<string, .*= \{/m.test(codeOf(file)),
  )
  expect(strays).toEqual([])
})

interface LockedPackage {
  readonly dev?: boolean
  readonly engines?: { readonly node?: string }
}

test('no package of the lockfile excludes Node 20, so npm ci prints no warnings', () => {
  // Two packages require 22.19 without need. Their `engines` were removed from the lockfile by hand; npm restores them whenever it writes it.
  const lock: { readonly packages: Readonly<Record<string, LockedPackage>> } = JSON.parse(textOf('package-lock.json'))
  const refusing = Object.entries(lock.packages).filter(([, { engines }]) => /^>=? ?2[1-9]/.test(engines?.node ?? ''))
  expect(refusing.map(([name]) => name)).toEqual([])
})

/** From this number of lines on, a folder must have tests. */
const testedLinesMin = 100

test('each folder has tests, or a comment that names them', () => {
  const untested = [...new Set(production.map((file) => dirname(file)))].filter((folder) => {
    const own = sources.filter((file) => dirname(file) === folder)
    if (own.some((file) => file.endsWith('.test.ts'))) return false
    const text = own.map((file) => textOf(file)).join('')
    if (text.split('\n').length < testedLinesMin) return false
    const told = [...text.matchAll(/^\/\/ Tested by `([^`]+)`\.$/gm)].map((match) => match[1]!)
    return told.length === 0 || told.some((path) => !existsSync(join(root, path)))
  })
  expect(untested).toEqual([])
})
