// What files and exports are called.
import { basename, dirname } from 'node:path'
import { expect, test } from 'vitest'
import { codeOf, filesUnder, isWithin, portal, production, sources, textOf } from './source-files.ts'

test('no file is an attic, a barrel or a mock of a module', () => {
  const named = [...sources, ...portal].filter((file) =>
    /(^|\/)(utils?|helpers?|common|shared|misc|index)(\.|\/)/.test(file),
  )
  expect(named).toEqual([])
  const mocking = [...sources, ...filesUnder('test', '.ts')].filter((file) => /vi\.(mock|doMock)\(/.test(textOf(file)))
  expect(mocking).toEqual([])
})

/** Folders that answer the same in two ways: equal names say so. */
const twins: readonly (readonly string[])[] = [
  ['src/store/druid/', 'src/store/embedded/'],
  ['src/druid-sql/', 'src/druid-native/'],
]
/** The client's types are those of the schemas, under their names. Migrations name tables. The portal is a program of its own. */
const declaring = production.filter(
  (file) => file.startsWith('src/') && !isWithin(file, ['src/client/answers.ts', 'src/catalog/migrations/']),
)
const declaration = /^export (?:abstract )?(?:async )?(?:function\*?|class|interface|type|const|let) (\w+)/gm

function areTwins(files: readonly string[], pairs = twins): boolean {
  return pairs.some((folders) => {
    const places = files.map((file) => folders.findIndex((folder) => file.startsWith(folder)))
    return !places.includes(-1) && new Set(places).size === files.length
  })
}

/** Files under these stand beside others of their names: a command, a route, a table or what an operator does with it. */
const mirrors = ['src/cli/', 'src/http/routes/', 'src/catalog/repositories/', 'src/admin/']
const sides: readonly (readonly string[])[] = [
  ...twins,
  ['src/store-thread/', 'src/query-threads/', 'src/sql-process/'],
]

test('a second file of a name stands where folders mirror each other', () => {
  const places = new Map<string, string[]>()
  for (const file of declaring.filter((file) => !mirrors.includes(`${dirname(file)}/`)))
    places.set(basename(file), [...(places.get(basename(file)) ?? []), file])
  const again = [...places.values()].filter((files) => files.length > 1 && !areTwins(files, sides))
  expect(again).toEqual([])
})

test('no exported name is declared twice', () => {
  const places = new Map<string, string[]>()
  for (const file of declaring) {
    const names = new Set([...codeOf(file).matchAll(declaration)].map((match) => match[1]!))
    for (const name of names) places.set(name, [...(places.get(name) ?? []), file])
  }
  expect([...places].filter(([, files]) => files.length > 1 && !areTwins(files))).toEqual([])
})
