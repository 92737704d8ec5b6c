// Compares the store's ROUND with the SQL engine's.
import { DuckDBInstance } from '@duckdb/node-api'
import { expect, test } from 'vitest'
import { roundedTo } from '../../src/lib/rounded-to.ts'
import { drawFrom } from '../support/random-rows.ts'

test.each([0, 1, 2, 3, 6, 9, 12])('rounds doubles to %i places like the SQL engine', async (places) => {
  const draw = drawFrom(places)
  const edges = [0, 0.005, 1e22, 1e23, 1e24, -1e300, 0.49999999999999994, 2 ** 52 + 1, -0.3]
  const random = Array.from({ length: 2000 }, () => {
    const value = ((draw(2_000_001) - 1_000_000) / 1_000_000) * 10 ** (draw(20) - 8)
    const half = 0.5 * 10 ** -places * (draw(2) === 0 ? 1 : -1)
    return draw(2) === 0 ? value : Number(value.toFixed(places)) + half
  })
  const values = [...edges, ...random]
  const connection = await (await DuckDBInstance.create(':memory:')).connect()
  const literals = values.map((value) => `${value < 0 ? '-' : ''}${Math.abs(value).toExponential()}::DOUBLE`)
  // The SQL that `functions/numbers.ts` generates.
  const rounded =
    places === 0 ? 'round(x, 0)' : `coalesce(CAST(round(TRY_CAST(x AS DECIMAL(38, 15)), ${places}) AS DOUBLE), x)`
  const rows = await (await connection.run(`SELECT ${rounded} FROM (SELECT unnest([${literals.join()}]) x)`)).getRows()
  expect(values.map((value) => [value, roundedTo(value, places)])).toEqual(
    rows.map(([expected], at) => [values[at], expected]),
  )
})
