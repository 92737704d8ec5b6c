// Writes the results of statements in InfluxDB's formats: JSON, in one document or in several with `chunked`, or CSV.
import { formatOffset, type Zone } from '../druid-time/zone.ts'
import { textOf } from './answer-rows.ts'
import type { SeriesHead, SeriesPart } from './series.ts'

export interface ResultFormat {
  /** The unit of times in nanoseconds; null writes times as text. */
  readonly epochNs: bigint | null
  readonly isPretty: boolean
  /** Rows per document; null for a single document. */
  readonly chunkRows: number | null
  readonly isCsv: boolean
}

/** The result of a statement: an error, or its series. */
export type StatementResult =
  | { readonly error: string }
  | { readonly zone: Zone; readonly parts: AsyncIterable<SeriesPart> | Iterable<SeriesPart> }

/** Throws the errors of `results`. */
export function writeResults(results: AsyncIterable<StatementResult>, format: ResultFormat): AsyncGenerator<string> {
  if (format.isCsv) return writeCsv(results, format.epochNs ?? 1n)
  return format.chunkRows === null ? writeWhole(results, format) : writeChunks(results, format, format.chunkRows)
}

async function* writeWhole(
  results: AsyncIterable<StatementResult>,
  { epochNs, isPretty }: ResultFormat,
): AsyncGenerator<string> {
  const line = (depth: number): string => (isPretty ? `\n${' '.repeat(4 * depth)}` : '')
  const colon = isPretty ? ': ' : ':'
  let statement = 0
  yield `{${line(1)}"results"${colon}[`
  for await (const result of results) {
    yield `${statement === 0 ? '' : ','}${line(2)}{${line(3)}"statement_id"${colon}${statement}`
    if ('error' in result) yield `,${line(3)}"error"${colon}${JSON.stringify(result.error)}`
    else {
      let head: SeriesHead | null = null
      for await (const part of result.parts) {
        const isNext = part.head !== head
        if (isNext) {
          const end = head === null ? `,${line(3)}"series"${colon}[` : `${line(5)}]${line(4)}},`
          yield `${end}${line(4)}{${headText(part.head, line, colon)}${line(5)}"values"${colon}[`
        }
        head = part.head
        yield `${isNext ? '' : ','}${rowTexts(part, epochNs, result.zone, line).join(',')}`
      }
      if (head !== null) yield `${line(5)}]${line(4)}}${line(3)}]`
    }
    yield `${line(2)}}`
    statement++
  }
  yield `${line(1)}]${line(0)}}\n`
}

function headText({ name, tags, columns }: SeriesHead, line: (depth: number) => string, colon: string): string {
  const listed = columns.map((column) => `${line(6)}${JSON.stringify(column)}`).join(',')
  const tagged = tags
    .map(([key, value]) => `${line(6)}${JSON.stringify(key)}${colon}${JSON.stringify(value)}`)
    .join(',')
  const parts = [
    ...(name === null ? [] : [`"name"${colon}${JSON.stringify(name)}`]),
    ...(tags.length === 0 ? [] : [`"tags"${colon}{${tagged}${line(5)}}`]),
    `"columns"${colon}[${listed}${line(5)}],`,
  ]
  return `${line(5)}${parts.join(`,${line(5)}`)}`
}

function rowTexts(
  { rows, times }: SeriesPart,
  epochNs: bigint | null,
  zone: Zone,
  line: (depth: number) => string,
): readonly string[] {
  return rows.map((row, at) => {
    const cells = row.map((cell) => cell ?? 'null')
    const all = times === null ? cells : [timeText(times[at]!, epochNs, zone), ...cells]
    return `${line(6)}[${all.map((cell) => `${line(7)}${cell}`).join(',')}${line(6)}]`
  })
}

/** Limits the size of a document, which is held in memory as a whole. */
const chunkCharactersMax = 4 * 1024 * 1024

/** One document for up to `chunkRows` rows of a series, fewer where rows are long. Every document of a statement but the last has `partial`. */
async function* writeChunks(
  results: AsyncIterable<StatementResult>,
  { epochNs }: ResultFormat,
  chunkRows: number,
): AsyncGenerator<string> {
  const line = (): string => ''
  let statement = 0
  for await (const result of results) {
    const document = (series: string, isPartial: boolean): string =>
      `{"results":[{"statement_id":${statement}${series}${isPartial ? ',"partial":true' : ''}}]}\n`
    if ('error' in result) yield document(`,"error":${JSON.stringify(result.error)}`, false)
    else {
      let chunk: { readonly head: SeriesHead; readonly rows: string[]; characters: number } | null = null
      const series = (isPartial: boolean): string =>
        chunk === null
          ? ''
          : `,"series":[{${headText(chunk.head, line, ':')}"values":[${chunk.rows.join(',')}]${isPartial ? ',"partial":true' : ''}}]`
      for await (const part of result.parts) {
        if (chunk !== null && chunk.head !== part.head) {
          yield document(series(false), true)
          chunk = null
        }
        chunk ??= { head: part.head, rows: [], characters: 0 }
        for (const row of rowTexts(part, epochNs, result.zone, line)) {
          if (chunk.rows.length === chunkRows || chunk.characters + row.length > chunkCharactersMax) {
            yield document(series(true), true)
            chunk = { head: part.head, rows: [], characters: 0 }
          }
          chunk.rows.push(row)
          chunk.characters += row.length
        }
      }
      yield document(series(false), false)
    }
    statement++
  }
}

async function* writeCsv(results: AsyncIterable<StatementResult>, epochNs: bigint): AsyncGenerator<string> {
  let isFirst = true
  for await (const result of results) {
    if ('error' in result) {
      yield `${isFirst ? '' : '\n'}error\n${csvField(result.error)}\n`
      isFirst = false
      continue
    }
    let hasHead = false
    for await (const { head, rows, times } of result.parts) {
      if (!hasHead) yield `${isFirst ? '' : '\n'}${['name', 'tags', ...head.columns].map(csvField).join(',')}\n`
      hasHead = true
      isFirst = false
      const tags = csvField(head.tags.map(([key, value]) => `${key}=${value}`).join(','))
      const lines = rows.map((row, at) => {
        const cells = row.map((cell) => csvField(textOf(cell ?? '')))
        const all = times === null ? cells : [timeText(times[at]!, epochNs, null), ...cells]
        return `${csvField(head.name ?? '')},${tags},${all.join(',')}\n`
      })
      yield lines.join('')
    }
  }
}

const csvField = (text: string): string => (/[",\r\n]|^\s/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

/** `time` is in milliseconds, or in nanoseconds if it is a bigint. */
function timeText(time: number | bigint, epochNs: bigint | null, zone: Zone | null): string {
  if (epochNs === null) return `"${momentText(time, zone)}"`
  return String((typeof time === 'number' ? BigInt(time) * 1_000_000n : time) / epochNs)
}

function momentText(time: number | bigint, zone: Zone | null): string {
  // Keeps the remainder from being negative for times before 1970.
  const ns = typeof time === 'number' ? 0n : ((time % 1_000_000n) + 1_000_000n) % 1_000_000n
  const ms = typeof time === 'number' ? time : Number((time - ns) / 1_000_000n)
  const offset = zone?.offset(ms) ?? 0
  const [seconds, fraction] = new Date(ms + offset).toISOString().slice(0, -1).split('.') as [string, string]
  const digits = `${fraction}${ns === 0n ? '' : String(ns).padStart(6, '0')}`.replace(/(?<!0)0+$/, '')
  return `${seconds}${digits === '' ? '' : `.${digits}`}${offset === 0 ? 'Z' : formatOffset(offset)}`
}
