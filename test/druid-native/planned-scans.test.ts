// Compares native scans that the store answers from its own columns with the SQL engine's answers over the same rows.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { readNativeQuery } from '../../src/druid-native/parse/read-query.ts'
import { answerScan } from '../../src/druid-native/plan/answer-plan.ts'
import { planScan } from '../../src/druid-native/plan/plan-scan.ts'
import type { EmbeddedStore } from '../../src/store/embedded/embedded-store.ts'
import { type Draw, drawFrom, oneOf } from '../support/random-rows.ts'
import { rounds } from '../support/rounds.ts'
import { answerOf } from './duckdb-engine.ts'
import { entity, PlannedWorlds, randomFilter, read, startMs } from './planned-worlds.ts'

let worlds: PlannedWorlds
beforeAll(async () => {
  worlds = await PlannedWorlds.open()
})
afterAll(() => worlds.close())

function scan(draw: Draw, dataSource: string): object {
  const from = new Date(startMs + draw(2 * 24) * 3_600_000).toISOString()
  const order = oneOf(draw, ['ascending', 'descending', 'none'])
  const named = ['tag', 'V', 'l', '__time', 's', 'tag'].filter(() => draw(2) === 0)
  const needed = order === 'none' || named.length === 0 || named.includes('__time') ? [] : ['__time']
  return {
    queryType: 'scan',
    dataSource,
    intervals: oneOf(draw, [
      ['2025-01-01/2027-01-01'],
      [`${from}/P1D`],
      ['2026-01-01/2026-01-02', '2026-01-03/2026-01-04'],
    ]),
    columns: [...named, ...needed],
    order,
    resultFormat: oneOf(draw, ['list', 'compactedList']),
    batchSize: draw(3) === 0 ? 1 + draw(7) : undefined,
    // Without a limit, rows with equal times come in any order.
    limit: 1 + oneOf(draw, [draw(5), draw(20), 500]),
    offset: draw(3) === 0 ? draw(9) : 0,
    ...(draw(2) === 0 ? { filter: randomFilter(draw) } : {}),
  }
}

async function planned(asked: object, store: EmbeddedStore, resultRows = 100_000): Promise<string | null> {
  const query = readNativeQuery({ ...asked, dataSource: entity.name })
  if (query.kind !== 'scan') throw new Error('scans are asked here')
  const plan = planScan(query, () => entity)
  if (plan === null) return null
  const rows = await store.scan(plan.scan, new AbortController().signal)
  const answer = rows === null ? null : answerScan(plan, rows, { resultRows })
  if (answer === null) return null
  let text = ''
  for await (const piece of answer.pieces) text += piece
  return text
}

test('random scans return the same rows as the SQL engine', async () => {
  let answered = 0
  const seeds = rounds(12)
  const asked = seeds * 20
  for (let seed = 0; seed < seeds; seed++) {
    const draw = drawFrom(seed)
    const name = `scanned${seed}`
    const store = await worlds.make(draw, name)
    for (let question = 0; question < 20; question++) {
      const one = scan(draw, name)
      const answer = await planned(one, store)
      if (answer === null) continue
      answered++
      const expected = read((await answerOf(one, worlds.engine)).replaceAll(`"${name}_`, `"${entity.name}_`))
      expect({ seed, one, answer: read(answer) }).toEqual({ seed, one, answer: expected })
    }
  }
  expect(answered / asked).toBeGreaterThan(0.8)
})

test('a scan without a limit returns all rows, ordered by time', async () => {
  const store = await worlds.make(drawFrom(3), 'whole')
  const one = {
    queryType: 'scan',
    dataSource: 'whole',
    intervals: ['2025/2027'],
    order: 'descending',
    resultFormat: 'compactedList',
  }
  const events = (text: string): unknown[] => JSON.parse(text)[0].events.map((row: unknown) => JSON.stringify(row))
  const answer = events((await planned(one, store))!)
  expect(answer.toSorted()).toEqual(events(await answerOf(one, worlds.engine)).toSorted())
  const times = answer.map((row) => JSON.parse(String(row))[0])
  expect(times).toEqual(times.toSorted((left, right) => right - left))
})

test.each([
  { columns: ['tag', 'unknown'] },
  { virtualColumns: [{ type: 'expression', name: 'v', expression: 'V + 1' }] },
  { dataSource: { type: 'query', query: { queryType: 'scan', dataSource: 'plant', intervals: ['2025/2027'] } } },
])('%j is left to the SQL engine', async (more) => {
  const query = readNativeQuery({ queryType: 'scan', dataSource: 'plant', intervals: ['2025/2027'], ...more })
  expect(query.kind === 'scan' && planScan(query, () => entity)).toBeNull()
})

test('a scan with more rows than the result limit is left to the SQL engine', async () => {
  const store = await worlds.make(drawFrom(4), 'many')
  const one = { queryType: 'scan', dataSource: 'many', intervals: ['2025/2027'], limit: 3 }
  expect(await planned(one, store, 3)).not.toBeNull()
  expect(await planned(one, store, 2)).toBeNull()
})
