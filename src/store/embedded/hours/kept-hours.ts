import type { Range } from '../../../model/plan.ts'
import { type HourRow, hoursTogether } from '../../hours/hour-row.ts'
import type { OpenFile } from '../reading/open-file.ts'
import type { SeriesSource } from '../reading/series-source.ts'
import type { HourColumns } from './hour-columns.ts'
import { hoursOfRows, type RequestedHours } from './hours-of-rows.ts'

export interface KeptHoursParts {
  /** Files of hours. */
  readonly files: readonly OpenFile[]
  readonly columns: HourColumns
  /** Expired rows that are not in files of hours yet: rows of files, and late ones in memory. Null if there are none. */
  readonly rows: SeriesSource | null
  readonly asked: RequestedHours
  /** Hours before this date have expired, too. */
  readonly sinceMs: number
  /** The start of a UTC day: before it hours are kept, from it on rows. */
  readonly untilMs: number
}

/** The kept hours of an entity's expired rows. */
export class KeptHours {
  readonly sinceMs: number
  readonly untilMs: number
  /** Their indices are those of the columns of rows. */
  readonly metrics: RequestedHours['metrics']
  readonly #parts: KeptHoursParts

  constructor(parts: KeptHoursParts) {
    this.#parts = parts
    this.sinceMs = parts.sinceMs
    this.untilMs = parts.untilMs
    this.metrics = parts.asked.metrics
  }

  /** The hours of a series that start within the range, in order. `rows` must have been prepared for the series. */
  *of(series: number, { fromMs, toMs }: Range): Generator<HourRow> {
    const { sinceMs, untilMs } = this
    yield* hoursTogether(this.#sources(series, Math.max(fromMs, sinceMs), Math.min(toMs, untilMs - 1)))
  }

  /** The source that must be prepared before the hours of a series are read; null if there is none. */
  get rows(): SeriesSource | null {
    return this.#parts.rows
  }

  #sources(series: number, fromMs: number, toMs: number): Iterator<HourRow>[] {
    const { files, rows, columns, asked } = this.#parts
    const all = files.map(({ reader }) => hoursOfFile(reader.find(series), reader, columns, fromMs, toMs))
    return rows === null ? all : [...all, hoursOfRows(rows.run(series, fromMs, toMs), series, asked)]
  }
}

function* hoursOfFile(
  place: number,
  reader: OpenFile['reader'],
  columns: HourColumns,
  fromMs: number,
  toMs: number,
): Generator<HourRow> {
  if (place === -1) return
  for (const slice of reader.forward(place, fromMs, toMs)) yield* columns.read(slice)
}
