// Tables with few values and many nulls, so that equal values are frequent. Each day is a file.
import type { Value } from '../../src/model/column.ts'
import type { Entity, EntityField } from '../../src/model/entity.ts'
import { type Draw, drawFrom, oneOf } from '../support/random-rows.ts'

export const fields: readonly EntityField[] = [
  { name: 'D', type: 'timestamp', role: 'time' },
  { name: 'tag', type: 'string', role: 'tag' },
  { name: 'site', type: 'string', role: 'tag' },
  { name: 's', type: 'string', role: 'dimension' },
  { name: 'l', type: 'long', role: 'metric' },
  { name: 'k', type: 'long', role: 'metric' },
  { name: 'V', type: 'double', role: 'metric' },
  { name: 'none', type: 'double', role: 'metric' },
  { name: 'b', type: 'boolean', role: 'dimension' },
  // Unique for each row.
  { name: 'i', type: 'long', role: 'metric' },
]

export const startMs = Date.UTC(2026, 0, 1)
const dayMs = 86_400_000

const orNull = <One>(draw: Draw, values: readonly One[]): One | null => (draw(4) === 0 ? null : oneOf(draw, values))

const plantDayRows = 32

/** A row of `plant`. Day 1 has no values of s, l and V, day 2 one value of each next to nulls, and day 3 no values of k. */
function plantRow(draw: Draw, i: number): Value[] {
  const day = Math.floor(i / plantDayRows)
  const one = <One>(values: readonly One[], only: One): One | null =>
    day === 1 ? null : orNull(draw, day === 2 ? [only] : values)
  return [
    startMs + day * dayMs + (i % plantDayRows) * 2_000_000,
    oneOf(draw, ['a', 'b', 'ab', 'x']),
    orNull(draw, ['x', 'a', 'é']),
    one(['x', 'a', 'b', '', 'ab', 'été'], 'x'),
    one([0, 1, 2, 5, 7, -3], 5),
    day === 3 ? null : orNull(draw, [0, 1, 5, 7]),
    one([0, 1.5, -2.25, 5, 7], 1.5),
    null,
    orNull(draw, [true, false]),
    i,
  ]
}

/** Enough rows a day for the filter of a join to arrive while they are read. */
const bigDayRows = 5000

function bigRow(i: number): Value[] {
  const day = Math.floor(i / bigDayRows)
  const k = i % 7 === 0 ? null : day
  return [
    startMs + day * dayMs + (i % bigDayRows) * 20_000,
    `t${i % 5}`,
    null,
    `s${i % 50}`,
    i % 3,
    k,
    i / 2,
    null,
    null,
    i,
  ]
}

/** Columns of one value and nulls, and columns of nulls only. */
const constantRow = (i: number): Value[] => {
  const isThere = i % 2 === 0
  return [
    startMs + i * 1000,
    'a',
    null,
    isThere ? 'x' : null,
    isThere ? 5 : null,
    null,
    isThere ? 1.5 : null,
    null,
    null,
    i,
  ]
}

const nameRow = (i: number): Value[] => [
  startMs,
  `t${i}`,
  i % 2 === 0 ? 'x' : null,
  i < 2 ? 'first' : 'rest',
  i,
  5,
  null,
  null,
  true,
  i,
]

export interface Table {
  readonly entity: Entity
  readonly rows: readonly (readonly Value[])[]
}

const table = (id: number, name: string, count: number, row: (i: number) => Value[]): Table => ({
  entity: { id, name, fields, duplicates: 'keep', ingests: [name], retention: null, sinceMs: null },
  rows: Array.from({ length: count }, (_, i) => row(i)),
})

const draw = drawFrom(38)
export const tables: readonly Table[] = [
  table(1, 'plant', 5 * plantDayRows, (i) => plantRow(draw, i)),
  table(2, 'big', 3 * bigDayRows, bigRow),
  table(3, 'constant', 8, constantRow),
  table(4, 'names', 5, nameRow),
  table(5, 'vacant', 0, nameRow),
]
