import { describe, expect, test } from 'vitest'
import { type Sql, sql } from './sql-text.ts'

describe('the SQL tag', () => {
  test.each<[Sql, string, readonly unknown[]]>([
    [sql`SELECT ${1}, ${'a'}`, 'SELECT ?, ?', [1, 'a']],
    [
      sql`SELECT ${sql.id('a"b')} FROM ${sql.id('t')} WHERE x = ${'; DROP'}`,
      'SELECT "a""b" FROM "t" WHERE x = ?',
      ['; DROP'],
    ],
    [sql.join([sql`${1}`, sql`x`, sql`${null}`], ', '), '?, x, ?', [1, null]],
    [sql`${sql`a = ${1}`} AND ${sql`b = ${2}`}`, 'a = ? AND b = ?', [1, 2]],
    [sql.long(-(2n ** 63n)), "CAST('-9223372036854775808' AS BIGINT)", []],
    [sql.long(5), 'CAST(5 AS BIGINT)', []],
    [sql.double(0.1), '1e-1', []],
    [sql.double(Number.NaN), "CAST('NaN' AS DOUBLE)", []],
    [sql.literal("it's"), "'it''s'", []],
  ])('%s', (made, text, parameters) => {
    expect(made.text).toBe(text)
    expect(made.parameters).toEqual(parameters)
  })
})
