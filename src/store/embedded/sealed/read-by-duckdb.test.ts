import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { allTypes, type Entity, mixed, temporaryFolder, writeEntity } from '../../../../test/support/sealed-files.ts'

const folder = temporaryFolder()
let connection: DuckDBConnection
beforeAll(async () => {
  connection = await (await DuckDBInstance.create(':memory:', { threads: '2' })).connect()
  await connection.run("SET TimeZone = 'UTC'")
})
afterAll(() => connection.closeSync())

const plant: Entity = {
  tags: ['T', 'place'],
  columns: allTypes,
  series: [
    ...Array.from({ length: 30 }, (_, series) => ({ tags: [`one ${series}`, null], length: 1 })),
    { tags: [null, 'x'], length: 7 },
    { tags: ['long', 'y'], length: 300 },
  ].map(({ tags, length }, series) => ({
    tags,
    rows: Array.from({ length }, (_, row) => ({
      ms: 1_700_000_000_000 + row * 1000,
      position: row * 40 + series,
      values: [
        row % 3 === 0 ? null : row / 8,
        row % 5 === 0 ? null : 9_007_199_254_740_993n * BigInt(row + 1),
        row % 2 === 0 ? null : `state ${row % 4} µ😀`,
        row % 7 === 0 ? null : row % 2 === 1,
        row % 4 === 0 ? null : 1_600_000_000_000 + row,
      ],
    })),
  })),
}

test('DuckDB reads the rows in order of series and time', async () => {
  const { file, series } = await writeEntity(folder.path, plant)
  const path = `${folder.path}/${mixed.entityId}/${file.info.name}.parquet`
  const answer = await connection.runAndReadAll(
    `SELECT T, place, epoch_ms(__time)::DOUBLE, "@position"::DOUBLE, "V@decimal3"::DOUBLE, count::VARCHAR, state, "on", epoch_ms(checked)::DOUBLE
     FROM '${path}'`,
  )
  const expected = series.flatMap(({ tags, rows }) =>
    rows.map(({ ms, position, values: [V, count, state, on, checked] }) => {
      return [...tags, ms, position, V, count === null ? null : String(count), state, on, checked]
    }),
  )
  expect(answer.getRows()).toEqual(expected)
  const metadata = await connection.runAndReadAll(
    `SELECT decode(key), decode(value) FROM parquet_kv_metadata('${path}')`,
  )
  expect(metadata.getRows()).toEqual([['tidemark_entity', '7']])
})

test('DuckDB refuses to read files of different digits as one, and combines their columns on request', async () => {
  const values = [[1.5, null, 2.25], [0.125], [Math.PI, null]]
  const paths = await Promise.all(
    values.map(async (some) => {
      const rows = some.map((value, row) => ({ ms: row, position: row, values: [value] }))
      const entity: Entity = { tags: ['T'], columns: [['V', 'double']], series: [{ tags: ['a'], rows }] }
      const { file } = await writeEntity(folder.path, entity)
      return `'${folder.path}/${mixed.entityId}/${file.info.name}.parquet'`
    }),
  )
  await expect(connection.run(`FROM read_parquet([${paths.join()}])`)).rejects.toThrow('schema mismatch')
  const answer = await connection.runAndReadAll(
    `SELECT coalesce(*COLUMNS('^V(@decimal[0-9])?$'))::DOUBLE FROM read_parquet([${paths.join()}], union_by_name = true)`,
  )
  expect(answer.getColumns()[0]).toEqual(values.flat())
})
