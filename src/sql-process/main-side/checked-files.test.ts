import { expect, test } from 'vitest'
import { CheckedFiles } from './checked-files.ts'

const table = (...paths: string[]) => ({
  entityId: 1,
  fields: [],
  files: paths.map((path) => {
    return { path, checkedBy: `${path}.index`, fields: [], firstMs: 0, lastMs: 1, isDistinct: true }
  }),
  sinceMs: null,
  replacesBy: null,
})
const native = (...paths: string[]) => ({
  kind: 'native' as const,
  body: new Uint8Array(),
  tables: [{ name: 'plant', table: table(...paths) }],
  limits: { resultRows: 1, resultBytes: 1, buckets: 1 },
})

test('a checked file is not checked again, in SQL and native queries; the oldest are forgotten', () => {
  const checked = new CheckedFiles(2)
  const left = (...paths: string[]): readonly unknown[] => {
    const query = { text: '', types: [], tables: [table(...paths)] }
    const limits = { resultRows: 1, resultBytes: 1 }
    const run = checked.known({ kind: 'run' as const, query, fields: [], format: 'json' as const, limits })
    const files = run.query.tables.flatMap((one) => one.files)
    expect(checked.known(native(...paths)).tables.flatMap((one) => one.table.files)).toEqual(files)
    return files.filter(({ checkedBy }) => checkedBy !== null).map(({ path }) => path)
  }
  expect(left('a', 'b')).toEqual(['a', 'b'])
  checked.add('a')
  checked.add('b')
  expect(left('a', 'b', 'c')).toEqual(['c'])
  checked.add('c')
  expect(left('a', 'b', 'c')).toEqual(['a'])
})
