// The part of Druid that hours need: counts and scans of rows, and tasks that write or remove rows, each once for its id.
import { readFailure } from '../../src/druid-client/druid-failure.ts'
import { timeColumn } from '../../src/model/druid-row.ts'
import { rangeOfInterval } from '../../src/store/druid/native-query.ts'

export type DruidRow = Readonly<Record<string, unknown>>
type Json = Readonly<Record<string, unknown>>

const dayMs = 86_400_000

export class SimulatedDruid {
  /** Rows that queries see, by data source. */
  readonly sources = new Map<string, DruidRow[]>()
  /** The number of times that each task was requested, by id. */
  readonly #tasks = new Map<string, number>()
  /** The numbers of the queries whose answers lack a day, as while a server that has it is unreachable. */
  readonly lacking = new Set<number>()
  queries = 0
  /** A planted fault: rows are removed regardless of the filter. */
  removesAll = false

  rowsOf(source: string): DruidRow[] {
    const rows = this.sources.get(source) ?? []
    this.sources.set(source, rows)
    return rows
  }

  async *query(_language: unknown, query: object): AsyncGenerator<Buffer> {
    yield Buffer.from(JSON.stringify(this.#answer(query as Json)))
  }

  async manage(method: string, path: string, body: unknown): Promise<unknown> {
    if (path.includes('/loadstatus?')) return null
    if (path.endsWith('/markUnused')) return this.#clear(path, body as { readonly interval: string })
    if (method === 'POST') return this.#take(body as { readonly id: string; readonly spec: Json })
    const asked = this.#tasks.get(path.split('/').at(-2)!)
    if (asked === undefined) throw readFailure(404, 'none')
    return { status: { statusCode: 'SUCCESS' } }
  }

  #clear(path: string, { interval }: { readonly interval: string }): null {
    const source = path.split('/').at(-2)!
    const { fromMs, toMs } = rangeOfInterval(interval)
    const isLeft = (row: DruidRow): boolean => Number(row[timeColumn]) < fromMs || Number(row[timeColumn]) > toMs
    this.sources.set(source, this.rowsOf(source).filter(isLeft))
    return null
  }

  #answer(body: Json): unknown {
    const ranges = (body['intervals'] as string[]).map(rangeOfInterval)
    const all = this.rowsOf(String(body['dataSource']))
    const day = Math.floor(Number(all[0]?.[timeColumn] ?? 0) / dayMs)
    const isAway = (row: DruidRow): boolean => Math.floor(Number(row[timeColumn]) / dayMs) === day
    const there = this.lacking.has(++this.queries) ? all.filter((row) => !isAway(row)) : all
    const rows = there.filter((row) => {
      const ms = Number(row[timeColumn])
      return ranges.some(({ fromMs, toMs }) => ms >= fromMs && ms <= toMs) && passes(row, body['filter'])
    })
    if (body['queryType'] === 'scan') {
      const columns = body['columns'] as string[]
      return [{ events: rows.map((row) => columns.map((column) => row[column] ?? null)) }]
    }
    if ((body['dimensions'] as unknown[]).length === 0) return rows.length === 0 ? [] : [[rows.length]]
    const days = new Map<number, number>()
    for (const row of rows) {
      const day = Math.floor(Number(row[timeColumn]) / dayMs) * dayMs
      days.set(day, (days.get(day) ?? 0) + 1)
    }
    return [...days]
  }

  #take({ id, spec }: { readonly id: string; readonly spec: Json }): object {
    if (this.#tasks.has(id)) throw readFailure(400, 'already exists')
    this.#tasks.set(id, 1)
    const { dataSchema, ioConfig } = spec as { readonly dataSchema: Json; readonly ioConfig: Json }
    const source = String(dataSchema['dataSource'])
    const { data, filter } = ioConfig['inputSource'] as { readonly data?: string; readonly filter?: unknown }
    const [interval] = ((dataSchema['granularitySpec'] as Json)['intervals'] as string[] | undefined) ?? []
    const dates = interval === undefined ? null : rangeOfInterval(interval)
    const isIn = (row: DruidRow): boolean =>
      dates !== null && Number(row[timeColumn]) >= dates.fromMs && Number(row[timeColumn]) <= dates.toMs
    const stays = (row: DruidRow): boolean => data === undefined && !this.removesAll && passes(row, filter)
    const kept = this.rowsOf(source).filter((row) => !isIn(row) || stays(row))
    const lines = data === undefined ? [] : data.split('\n').map((line) => JSON.parse(line) as DruidRow)
    this.sources.set(source, [...kept, ...lines])
    return { task: id }
  }
}

function passes(row: DruidRow, filter: unknown): boolean {
  if (filter === null || filter === undefined) return true
  const { type, field, fields, column, dimension, values, lower, upper, upperOpen } = filter as Json & {
    readonly fields?: readonly unknown[]
    readonly values?: readonly unknown[]
  }
  switch (type) {
    case 'and':
      return fields!.every((one) => passes(row, one))
    case 'or':
      return fields!.some((one) => passes(row, one))
    case 'not':
      return !passes(row, field)
    case 'istrue':
      return passes(row, field)
    case 'in':
      return values!.includes(row[String(dimension)] ?? null)
    case 'false':
      return false
    case 'range': {
      const value = Number(row[String(column)])
      const isBelow = upper === undefined || (upperOpen === true ? value < Number(upper) : value <= Number(upper))
      return (lower === undefined || value >= Number(lower)) && isBelow
    }
    default:
      throw new Error(`no such filter: ${JSON.stringify(filter)}`)
  }
}
