// Random rows in a store and in the SQL engine, and functions to query both.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readNativeQuery } from '../../src/druid-native/parse/read-query.ts'
import { planNative } from '../../src/druid-native/plan/plan-native.ts'
import type { Value } from '../../src/model/column.ts'
import type { Entity, EntityField } from '../../src/model/entity.ts'
import { EmbeddedStore } from '../../src/store/embedded/embedded-store.ts'
import { runQuery } from '../../src/store-thread/worker-side/store-requests.ts'
import { columnOf, type Draw, oneOf } from '../support/random-rows.ts'
import { DuckDbEngine } from './duckdb-engine.ts'

const fields: readonly EntityField[] = [
  { name: 'D', type: 'timestamp', role: 'time' },
  { name: 'tag', type: 'string', role: 'tag' },
  { name: 'site', type: 'string', role: 'tag' },
  { name: 's', type: 'string', role: 'dimension' },
  { name: 'l', type: 'long', role: 'metric' },
  { name: 'V', type: 'double', role: 'metric' },
]
export const entity: Entity = {
  id: 1,
  name: 'plant',
  fields,
  duplicates: 'keep',
  ingests: ['plant'],
  retention: null,
  sinceMs: null,
}

const texts = ['', 'a', 'b', 'ab', 'á', '\u{1f600}', '10', '9']
const longs = [0, 1, -3, 12, 9007199254740993n, 9223372036854775807n]
const doubles = [0, 1.5, -2.25, 100, 0.125, 1e12]
const dayMs = 86_400_000
export const startMs = Date.UTC(2026, 0, 1)

const orNull = <One>(draw: Draw, values: readonly One[]): One | null => (draw(5) === 0 ? null : oneOf(draw, values))

export class PlannedWorlds {
  readonly engine: DuckDbEngine
  readonly #directory = mkdtempSync(join(tmpdir(), 'tidemark-planned-'))

  private constructor(engine: DuckDbEngine) {
    this.engine = engine
  }

  static async open(): Promise<PlannedWorlds> {
    return new PlannedWorlds(await DuckDbEngine.open())
  }

  close(): void {
    this.engine.close()
    rmSync(this.#directory, { recursive: true, force: true })
  }

  /** Writes the same random rows to a store and, as the table `name`, to the SQL engine. */
  async make(draw: Draw, name: string, fromMs = startMs): Promise<EmbeddedStore> {
    const rows = Array.from({ length: 1 + draw(200) }, (): Value[] => [
      fromMs + draw(4) * dayMs + draw(24) * 3_600_000 + draw(5) * 1000,
      oneOf(draw, texts),
      orNull(draw, ['x', 'y']),
      orNull(draw, texts),
      orNull(draw, longs),
      orNull(draw, doubles),
    ])
    const store = new EmbeddedStore()
    const columns = fields.map(({ type }, place) => {
      return columnOf(
        type,
        rows.map((row) => row[place]!),
      )
    })
    const positions = Float64Array.from(rows, (_, row) => row)
    store.write({ entityId: 1, rows: rows.length, positions, fields, columns })
    const file = join(this.#directory, `${name}.ndjson`)
    const line = ([time, tag, site, s, l, V]: Value[]): string =>
      `{"time":"${new Date(Number(time)).toISOString()}","tag":${JSON.stringify(tag)},"site":${JSON.stringify(site)},"s":${JSON.stringify(s)},"l":${l},"V":${V}}`
    writeFileSync(file, rows.map(line).join('\n'))
    const types = { string: 'STRING', long: 'LONG', double: 'DOUBLE' } as const
    const tested = fields.slice(1).map(({ name: column, type }) => ({ name: column, type: types[type as 'string'] }))
    await this.engine.load(name, tested, file)
    return store
  }
}

export function randomFilter(draw: Draw, depth = 0, numbers: readonly string[] = ['l', 'V']): object {
  const text = oneOf(draw, ['tag', 'site', 's'])
  const number = oneOf(draw, numbers)
  const column = oneOf(draw, [text, number])
  const bound = (): string | undefined => (draw(3) === 0 ? undefined : String(oneOf(draw, [0, 1, 1.5, 7, 100, -2.25])))
  const within = (): object => randomFilter(draw, depth + 1, numbers)
  switch (draw(depth < 2 ? 14 : 10)) {
    case 0:
      return { type: 'selector', dimension: text, value: orNull(draw, texts) }
    case 1:
      return { type: 'in', dimension: column, values: [orNull(draw, texts), oneOf(draw, texts)] }
    case 2:
      return { type: 'null', column }
    case 3:
      return { type: 'equals', column: number, matchValueType: 'DOUBLE', matchValue: oneOf(draw, [1.5, 12, 0]) }
    case 4: {
      const strict = { lowerStrict: draw(2) === 0, upperStrict: draw(2) === 0 }
      const lower = orNull(draw, texts) ?? undefined
      const upper = lower === undefined ? 'b' : (orNull(draw, texts) ?? undefined)
      return { type: 'bound', dimension: text, lower, upper, ...strict, ordering: 'lexicographic' }
    }
    case 5: {
      const lower = bound()
      const upper = lower === undefined ? '7' : bound()
      return { type: 'bound', dimension: number, lower, upper, ordering: 'numeric' }
    }
    case 6: {
      const pattern = oneOf(draw, ['a%', '%b', '_', '%', '', '%_%', '1\\%', '%é%'])
      return { type: 'like', dimension: text, pattern, escape: draw(2) === 0 ? '\\' : undefined }
    }
    case 7: {
      const values = [oneOf(draw, texts), orNull(draw, texts)]
      return { type: 'inType', column: text, matchValueType: 'STRING', values }
    }
    case 8: {
      const ofTexts = { column: text, matchValueType: 'STRING', lower: oneOf(draw, texts), upper: orNull(draw, texts) }
      const ofNumbers = { column: number, matchValueType: 'DOUBLE', lower: oneOf(draw, doubles), upper: 50 }
      return { type: 'range', ...oneOf(draw, [ofTexts, ofNumbers]), lowerOpen: draw(2) === 0 }
    }
    case 9: {
      const written = [
        `${number} * 2 > 3`,
        `${text} == 'a'`,
        `isnull(${text}) || ${number} <= 1.5`,
        `${text} != 'b'`,
        'l',
      ]
      return { type: 'expression', expression: oneOf(draw, written) }
    }
    case 10:
      return { type: oneOf(draw, ['istrue', 'isfalse']), field: within() }
    case 11:
      return { type: 'not', field: within() }
    case 12:
      return { type: 'and', fields: [within(), within()] }
    default:
      return { type: 'or', fields: [within(), within()] }
  }
}

/** Rounds sums, which may differ in the last digits of a double. */
function rounded(value: unknown): unknown {
  if (typeof value === 'number' && (!Number.isInteger(value) || Math.abs(value) > 1e9))
    return Number(value.toPrecision(9))
  if (Array.isArray(value)) return value.map(rounded)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, rounded(one)]))
}

/** Parses JSON, keeping longs as texts with all their digits. */
export const read = (text: string): unknown =>
  rounded(JSON.parse(text.replace(/(?<=[:[,])-?\d{16,}(?=[,}\]])/g, '"$&"')))

const limits = { resultRows: 100_000, resultBytes: 2 ** 26, buckets: 200_000 }
const budget = { memoryBytes: 2 ** 28, fileBytes: 0 }

/** The store's answer; null where the plan leaves the query to the SQL engine. */
export async function byStore(asked: object, store: EmbeddedStore): Promise<string | null> {
  const plan = planNative(readNativeQuery({ ...asked, dataSource: 'plant' }), () => entity)
  if (plan === null) return null
  const { signal } = new AbortController()
  const settings = { sliceMs: 5, spoolDirectory: '' }
  const answer = await runQuery(store, { language: 'native', plan, limits, budget }, settings, signal)
  if (answer === null) return null
  if (answer.body.kind !== 'memory') throw new Error('such answers stay in memory')
  return Buffer.concat(answer.body.chunks).toString()
}
