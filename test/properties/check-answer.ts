// Compares an answer in each format with the result of a plain model.
import { expect } from 'vitest'
import { CsvParser } from '../../src/lib/csv-parser.ts'
import type { Value } from '../../src/model/column.ts'
import type { EntityField } from '../../src/model/entity.ts'
import { formatInstant } from '../../src/model/instant.ts'
import { outputFields, type Plan } from '../../src/model/plan.ts'
import type { EntityStatistics } from '../../src/store/series-store.ts'
import { type ModelRow, ModelStore, type ResultRow } from '../support/model-store.ts'
import { planSince } from '../support/plan-since.ts'
import type { Question } from '../support/random-queries.ts'
import type { TextFormat } from './history-world.ts'
import { jsonOf } from './pushed-row.ts'

/** The expected answer; in `sizes` each mean is replaced by the mean of the absolute values. */
interface Expected {
  readonly rows: readonly ResultRow[]
  readonly sizes: readonly ResultRow[]
}

export class HistoryModel {
  readonly #rows = new ModelStore()
  readonly #sizes = new ModelStore()

  write(row: ModelRow, fields: readonly EntityField[]): void {
    this.#rows.writeRow(row)
    const values = { ...row.values }
    for (const { name, role } of fields) {
      const value = values[name]
      if (role === 'metric' && (typeof value === 'number' || typeof value === 'bigint'))
        values[name] = Math.abs(Number(value))
    }
    this.#sizes.writeRow({ ...row, values })
  }

  expected(plan: Plan, sinceMs: number | null): Expected {
    const asked = planSince(plan, sinceMs)
    return { rows: this.#rows.run(asked), sizes: plan.kind === 'average' ? this.#sizes.run(asked) : [] }
  }

  /** Removes rows before a date for good. */
  forget(beforeMs: number): void {
    this.#rows.forget(1, beforeMs)
    this.#sizes.forget(1, beforeMs)
  }

  statistics(sinceMs: number | null): EntityStatistics {
    return this.#rows.statistics(1, sinceMs)
  }
}

interface Answerer {
  readonly hasExactMeans: boolean
  readonly ask: (format: TextFormat) => Promise<string>
}

/** Queries in each format. Throws vitest's error where an answer is not the expected one. */
export async function checkAnswer(
  { plan }: Question,
  expected: Expected,
  { hasExactMeans, ask }: Answerer,
): Promise<void> {
  const fields = outputFields(plan)
  const header = fields.map(({ name }) => name)
  const json = await ask('json')
  const lines = await ask('ndjson')
  const [names, ...cells] = cellsOf(await ask('csv'))
  expect(names).toEqual(header)
  const isMean = plan.kind === 'average'
  if (!isMean) expect(json).toBe(`[${expected.rows.map((row) => expectedJson(fields, row)).join(',')}]`)
  if (!isMean || hasExactMeans) {
    expect(lines).toBe(linesOf(json))
    expect(cells).toEqual(jsonCells(lines))
  }
  if (!isMean) return
  const keys = fields.slice(0, fields.length - plan.selection.metrics.length)
  for (const rows of [jsonCells(linesOf(json)), jsonCells(lines), cells]) expectMeans(rows, keys, expected)
}

function linesOf(json: string): string {
  return json === '[]' ? '' : `${json.slice(1, -1).replaceAll('},{', '}\n{')}\n`
}

type Cells = readonly (string | null)[]

function expectMeans(actual: readonly Cells[], keys: readonly EntityField[], { rows, sizes }: Expected): void {
  const keysOf = (row: ResultRow): string => `${expectedJson(keys, row)}\n`
  expect(actual.map((cells) => cells.slice(0, keys.length))).toEqual(jsonCells(rows.map(keysOf).join('')))
  for (const [index, cells] of actual.entries()) {
    for (let at = keys.length; at < cells.length; at++) expectNear(cells[at]!, rows[index]![at]!, sizes[index]![at]!)
  }
}

/** A row as JSON. Of rows with means only the keys are passed, because means are compared as numbers. */
function expectedJson(fields: readonly EntityField[], row: ResultRow): string {
  const members = fields.map(({ name, type }, index) => {
    const value = row[index]!
    const text = type === 'timestamp' && value !== null ? JSON.stringify(formatInstant(Number(value))) : jsonOf(value)
    return `${JSON.stringify(name)}:${text}`
  })
  return `{${members.join(',')}}`
}

/** The smallest numbers lose all their digits in a division. */
const leastDifference = 1e-320

/** The error of a sum whose terms cancel is relative to the largest of them. */
function expectNear(actual: string | null, expected: Value, size: Value): void {
  if (expected === null || actual === null) {
    expect(actual).toBe(expected)
    return
  }
  const isNear = Math.abs(Number(actual) - Number(expected)) <= Number(size) * 1e-12 + leastDifference
  if (!isNear) expect(Number(actual)).toBe(expected)
}

function cellsOf(csv: string): Cells[] {
  const reader = new CsvParser({ recordCharsMax: 1_000_000 })
  return [...reader.push(csv), ...reader.end()].map((record) => record.cells)
}

/** The values in JSON lines, as CSV writes them: strings without quotes, everything else unchanged. */
function jsonCells(lines: string): Cells[] {
  return lines
    .split('\n')
    .slice(0, -1)
    .map((line) => {
      const values = [...line.matchAll(/"(?:[^"\\]|\\.)*":("(?:[^"\\]|\\.)*"|[^,}]+)/g)].map((match) => match[1]!)
      return values.map((value) =>
        value === 'null' ? null : value.startsWith('"') ? String(JSON.parse(value)) : value,
      )
    })
}
