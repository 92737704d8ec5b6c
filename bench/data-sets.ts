// Several kinds of rows, whose bytes at rest are reported separately: a change that helps one kind may not help another.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { instrumentsOf, rowsAt } from '../src/cli/demo/plant.ts'
import type { EntityField } from '../src/model/entity.ts'

export interface DataSet {
  readonly name: string
  readonly fields: readonly EntityField[]
  /** Bodies of NDJSON, in the order in which they are pushed. */
  readonly bodies: () => Iterable<string>
}

const firstMs = Date.UTC(2026, 0, 1)
const rowsInBody = 10_000

/** About `rows` rows of each; real series have the rows that exist. */
export function dataSets(rows: number): readonly DataSet[] {
  return [sensors(rows), noise(rows), demo(rows), meters(rows), ...realSeries(join('..', 'shared', 'data', 'nab'))]
}

const time: EntityField = { name: 'time', type: 'timestamp', role: 'time' }
const tag: EntityField = { name: 'tag', type: 'string', role: 'tag' }
const metric = (name: string): EntityField => ({ name, type: 'double', role: 'metric' })

/** At least a hundred sensors every ten seconds: a value of three decimals with noise, and a slowly changing pressure of two. */
function sensors(rows: number): DataSet {
  const tags = Math.max(100, Math.min(1000, rows / 20_000))
  const value = (one: number, step: number): number => {
    const random = ((Math.imul(one * 7919 + step, 2_654_435_761) >>> 8) % 1000) / 500
    return Math.round((50 + one / 50 + 20 * Math.sin(one + step / 360) + random) * 1000) / 1000
  }
  const pressure = (one: number, step: number): number =>
    Math.round((1000 + 5 * Math.cos(one * 3 + step / 900)) * 100) / 100
  const row = (one: number, step: number): string =>
    JSON.stringify({
      time: new Date(firstMs + step * 10_000).toISOString(),
      tag: `PLANT${one % 10}.SENSOR${String(one).padStart(3, '0')}.PV`,
      plant: `P${one % 10}`,
      value: value(one, step),
      pressure: pressure(one, step),
    })
  const fields: EntityField[] = [
    time,
    tag,
    { name: 'plant', type: 'string', role: 'dimension' },
    metric('value'),
    metric('pressure'),
  ]
  return { name: 'sensors', fields, bodies: () => bodiesOf(stepByStep(tags, rows, row)) }
}

/** Doubles of full precision, without any decimal pattern. */
function noise(rows: number): DataSet {
  const row = (one: number, step: number): string =>
    JSON.stringify({
      time: new Date(firstMs + step * 10_000).toISOString(),
      tag: `N${one}`,
      value: 20 * Math.sin(one + step / 360) + Math.sin(step * step * 12.9898 + one),
    })
  return { name: 'noise', fields: [time, tag, metric('value')], bodies: () => bodiesOf(stepByStep(100, rows, row)) }
}

/** The plant of `tidemark demo`, minute by minute. */
function demo(rows: number): DataSet {
  const seed = 1
  const instruments = instrumentsOf(seed)
  const fields: EntityField[] = [
    { name: 'D', type: 'timestamp', role: 'time' },
    { name: 'T', type: 'string', role: 'tag' },
    { name: 'unit', type: 'string', role: 'dimension' },
    { name: 'area', type: 'string', role: 'dimension' },
    metric('V'),
  ]
  function* bodies(): Generator<string> {
    const steps = Math.floor(rows / instruments.length)
    for (let from = 0; from < steps; from += 250) {
      const minutes = Array.from({ length: Math.min(250, steps - from) }, (_, index) => from + index)
      yield minutes.map((minute) => rowsAt(seed, instruments, firstMs + minute * 60_000)).join('\n')
    }
  }
  return { name: 'demo', fields, bodies }
}

/** Meters of buildings every quarter of an hour: counters of two decimals, in long format. */
function meters(rows: number): DataSet {
  const row = (one: number, step: number): string =>
    JSON.stringify({
      time: new Date(firstMs + step * 900_000).toISOString(),
      tag: `building ${Math.floor(one / 100)}/meter ${one}`,
      quantity: ['energy', 'water', 'heat'][one % 3],
      value: Math.round(100 * (one * 37 + step * (1 + (one % 7)) + 3 * Math.sin(step / 30 + one))) / 100,
    })
  const fields: EntityField[] = [time, tag, { name: 'quantity', type: 'string', role: 'dimension' }, metric('value')]
  return { name: 'meters', fields, bodies: () => bodiesOf(stepByStep(10_000, rows, row)) }
}

/** Series from files of `timestamp,value`, if they are available. */
function realSeries(folder: string): readonly DataSet[] {
  if (!existsSync(folder)) return []
  const rows = function* (): Generator<string> {
    for (const name of readdirSync(folder).filter((one) => one.endsWith('.csv'))) {
      for (const line of readFileSync(join(folder, name), 'utf8').split('\n').slice(1)) {
        const [date = '', value] = line.trim().split(',')
        if (value === undefined) continue
        yield JSON.stringify({ time: `${date.replace(' ', 'T')}Z`, tag: basename(name, '.csv'), value: Number(value) })
      }
    }
  }
  return [{ name: 'NAB', fields: [time, tag, metric('value')], bodies: () => bodiesOf(rows()) }]
}

function* stepByStep(tags: number, rows: number, row: (tag: number, step: number) => string): Generator<string> {
  for (let step = 0; step < rows / tags; step++) for (let one = 0; one < tags; one++) yield row(one, step)
}

function* bodiesOf(rows: Iterable<string>): Generator<string> {
  let body: string[] = []
  for (const row of rows) {
    body.push(row)
    if (body.length < rowsInBody) continue
    yield body.join('\n')
    body = []
  }
  if (body.length > 0) yield body.join('\n')
}
