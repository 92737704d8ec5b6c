// Hours as rows of a data source of Druid: docs/formats/kept-hours.md.

import { positionColumn, timeColumn } from '../../../model/druid-row.ts'
import type { EntityField } from '../../../model/entity.ts'
import { type HourMetric, HourOfMetric, type HourRow, hourParts, partColumn } from '../../hours/hour-row.ts'

/** The column with the number of an hour's rows. Field names cannot contain a colon. */
export const rowsColumn = ':rows'

/** The fields that hours are kept of. Each combination of tags is a series with its own hours. */
export interface HoursOf {
  readonly tags: readonly Pick<EntityField, 'name'>[]
  readonly metrics: readonly HourMetric[]
}

export interface HourOfSeries {
  readonly tags: readonly (string | null)[]
  readonly hour: HourRow
}

interface HourDimension {
  readonly type: 'string' | 'double' | 'long'
  readonly name: string
}

/** The columns after the time, in order. */
export function hourDimensions({ tags, metrics }: HoursOf): readonly HourDimension[] {
  return [
    ...tags.map(({ name }) => ({ type: 'string', name }) as const),
    ...[positionColumn, rowsColumn].map((name) => ({ type: 'long', name }) as const),
    ...metrics.flatMap((metric) => hourParts.map((part) => partColumn(metric, part))),
  ]
}

/** Writes hours as lines of JSON. Unknown values are omitted. */
export class HourLines {
  readonly #tags: readonly string[]
  readonly #parts: readonly (readonly string[])[]

  constructor({ tags, metrics }: HoursOf) {
    this.#tags = tags.map(({ name }) => keyOf(name))
    this.#parts = metrics.map((metric) => hourParts.map((part) => keyOf(partColumn(metric, part).name)))
  }

  /** `position` decides which deletions still apply to the hour. */
  line({ tags, hour }: HourOfSeries, position: number): string {
    const members = [`"${timeColumn}":${hour.hourMs}`]
    for (const [place, key] of this.#tags.entries()) members.push(`${key}${JSON.stringify(tags[place] ?? null)}`)
    members.push(`"${positionColumn}":${position}`, `"${rowsColumn}":${hour.rows}`)
    for (const [place, metric] of hour.metrics.entries()) {
      if (metric === null) continue
      for (const [index, key] of this.#parts[place]!.entries()) {
        const part = hourParts[index]!
        const value = metric.get(part)
        if (!Number.isNaN(value)) members.push(`${key}${metric.digits(part) ?? numberText(value)}`)
      }
    }
    return `{${members.join(',')}}`
  }
}

const keyOf = (name: string): string => `${JSON.stringify(name)}:`

/** `JSON.stringify` drops the sign of a negative zero. */
const numberText = (value: number): string => (Object.is(value, -0) ? '-0.0' : String(value))

/** The texts of Druid's tasks, each of up to `bytesMax` bytes or one longer line. The same lines give the same texts in every process. */
export async function* lineChunks(lines: AsyncIterable<string>, bytesMax: number): AsyncGenerator<string> {
  let held: string[] = []
  let bytes = 0
  for await (const line of lines) {
    const more = Buffer.byteLength(line) + 1
    if (held.length > 0 && bytes + more > bytesMax) {
      yield held.join('\n')
      held = []
      bytes = 0
    }
    held.push(line)
    bytes += more
  }
  if (held.length > 0) yield held.join('\n')
}

/** Reads hours from a scan of `columns`. */
export class HourReader {
  readonly columns: readonly string[]
  /** The indexes of the long columns. Values that a double cannot hold exactly arrive as strings of digits. */
  readonly longs: readonly number[]
  readonly #of: HoursOf

  constructor(of: HoursOf) {
    const dimensions = hourDimensions(of)
    this.#of = of
    this.columns = [timeColumn, ...dimensions.map(({ name }) => name)]
    this.longs = dimensions.flatMap(({ type }, index) => (type === 'long' ? [index + 1] : []))
  }

  read(row: readonly unknown[]): HourOfSeries {
    const tagsEnd = 1 + this.#of.tags.length
    const metrics = this.#of.metrics.map((metric, place) =>
      metricOf(row, tagsEnd + 2 + place * hourParts.length, metric),
    )
    return {
      tags: row.slice(1, tagsEnd).map((tag) => (tag === null || tag === undefined ? null : String(tag))),
      hour: { hourMs: Number(row[0]), position: Number(row[tagsEnd]), rows: Number(row[tagsEnd + 1]), metrics },
    }
  }
}

function metricOf(row: readonly unknown[], from: number, metric: HourMetric): HourOfMetric | null {
  if (isNull(row[from])) return null
  const read = new HourOfMetric()
  for (const [index, part] of hourParts.entries()) {
    const cell = row[from + index]
    if (isNull(cell)) continue
    const value = Number(cell)
    const isLong = partColumn(metric, part).type === 'long'
    read.set(part, value, isLong && Math.abs(value) >= 2 ** 53 ? BigInt(String(cell)) : null)
  }
  return read
}

const isNull = (cell: unknown): boolean => cell === null || cell === undefined
