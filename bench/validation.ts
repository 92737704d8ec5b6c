// How fast pushed rows become columns, beside JSON.parse of the same bodies: rows a second, the best of several runs.
import { RowValidator } from '../src/ingest/row-validator.ts'
import { checkBody } from '../src/ingest/scan/check-body.ts'
import type { PlacedEntry } from '../src/journal/journal.ts'
import { defaultSeriesFields, type Field } from '../src/model/field.ts'
import type { Ingest } from '../src/model/ingest.ts'
import { isLineFormat } from '../src/model/line-format.ts'
import { printTable } from './figures.ts'

const totalRows = 200_000
const runs = 7
const tagCount = 1000
const startMs = Date.UTC(2026, 0, 1)

const fiveFields: readonly Field[] = [
  ...defaultSeriesFields.slice(0, 2),
  { name: 'site', source: 'site', type: 'string', role: 'dimension' },
  { name: 'flow', source: 'flow', type: 'double', role: 'metric' },
  { name: 'level', source: 'level', type: 'double', role: 'metric' },
]

function ingestOf(id: number, fields: readonly Field[]): Ingest {
  const definition = { alias: 'bench', kind: 'series', entity: 'bench', entityId: 1, duplicates: 'keep' } as const
  return { ...definition, id, fields, fieldsVersion: 1, state: 'active', reason: null, createdMs: startMs }
}

function timeAndTag(i: number): { D: string; T: string } {
  const tag = String(i % tagCount).padStart(3, '0')
  return { D: new Date(startMs + 10_000 * Math.floor(i / tagCount)).toISOString(), T: `01PHD.OSL${tag}.PV` }
}

const hundredths = (i: number): number => ((i * 7919) % 100_000) / 100

function threeFieldRow(i: number): object {
  return { ...timeAndTag(i), V: hundredths(i) }
}

function longNumberRow(i: number): object {
  return { ...timeAndTag(i), V: Math.sin(i) * 1000 }
}

function fiveFieldRow(i: number): object {
  return { ...timeAndTag(i), site: `plant-${i % 7}`, flow: hundredths(i), level: hundredths(i + 31) }
}

/** Visits tags in an order that never repeats, so that nothing can be foreseen. */
function shuffledRow(i: number): object {
  return { ...timeAndTag(i), T: timeAndTag(Math.floor(Math.abs(Math.sin(i)) * tagCount)).T, V: hundredths(i) }
}

function entriesOf(row: (i: number) => object, rowsPerBody: number): readonly PlacedEntry[] {
  const header = { ingestId: 1, fieldsVersion: 1, subscriberId: 1, receivedMs: startMs, idempotencyKey: null } as const
  return Array.from({ length: totalRows / rowsPerBody }, (_, batch) => {
    const position = batch * rowsPerBody
    const rows = Array.from({ length: rowsPerBody }, (_, index) => row(position + index))
    const body = Buffer.from(JSON.stringify(rowsPerBody === 1 ? rows[0] : rows))
    return { ...header, format: 'json', position, rows: rowsPerBody, body }
  })
}

/** The fields of `fiveFields`, the tag as the measurement. */
const lineFields: readonly Field[] = fiveFields.map((field) =>
  field.role === 'tag' ? { ...field, source: 'measurement' } : field,
)

function lineOf(i: number, site: string): string {
  const ns = `${startMs + 10_000 * Math.floor(i / tagCount)}000000`
  return `${timeAndTag(i).T},site=${site}${i % 7} flow=${hundredths(i)},level=${hundredths(i + 31)} ${ns}`
}

/** The same rows as those of `fiveFieldRow`; with `fields-ns` each line is two of them, of a value each. */
function lineEntries(rowsPerBody: number, format: 'lines-ns' | 'fields-ns', site = 'plant-'): readonly PlacedEntry[] {
  const header = { ingestId: 1, fieldsVersion: 1, subscriberId: 1, receivedMs: startMs, idempotencyKey: null } as const
  return Array.from({ length: totalRows / rowsPerBody }, (_, batch) => {
    const position = batch * rowsPerBody
    const lines = format === 'lines-ns' ? rowsPerBody : rowsPerBody / 2
    const body = Buffer.from(Array.from({ length: lines }, (_line, index) => lineOf(position + index, site)).join('\n'))
    return { ...header, format, position, rows: rowsPerBody, body }
  })
}

function rowsPerSecond(run: () => void): number {
  let bestMs = Number.POSITIVE_INFINITY
  for (let i = 0; i < runs; i++) {
    const before = performance.now()
    run()
    bestMs = Math.min(bestMs, performance.now() - before)
  }
  return (totalRows / bestMs) * 1000
}

function figuresOf(entries: readonly PlacedEntry[], ingest: Ingest, entriesPerCall: number): readonly number[] {
  const validator = new RowValidator({ rowBytes: 1 << 20 })
  const calls = Array.from({ length: entries.length / entriesPerCall }, (_, call) =>
    entries.slice(call * entriesPerCall, (call + 1) * entriesPerCall),
  )
  return [
    rowsPerSecond(() => {
      for (const { body, format } of entries) if (!isLineFormat(format)) JSON.parse(body.toString())
    }),
    rowsPerSecond(() => {
      for (const { body, format } of entries) if (format !== 'replay' && format !== 'lost') checkBody(body, format)
    }),
    rowsPerSecond(() => {
      for (const call of calls) validator.validate(call, ingest)
    }),
  ]
}

/** Prints millions of rows a second: what JSON.parse alone takes, the check before the answer, and validation. */
export function benchValidation(): void {
  const three = ingestOf(1, defaultSeriesFields)
  const five = ingestOf(2, fiveFields)
  const byField: Ingest = { ...ingestOf(4, defaultSeriesFields), lines: { tag: '{measurement}.{field}' } }
  const cases: readonly (readonly [title: string, ingest: Ingest, entries: readonly PlacedEntry[], perCall: number])[] =
    [
      ['{D,T,V}, bodies of 1,000', three, entriesOf(threeFieldRow, 1000), 1],
      ['{D,T,V}, tags in no order', three, entriesOf(shuffledRow, 1000), 1],
      ['{D,T,V}, V of 15 to 17 digits', three, entriesOf(longNumberRow, 1000), 1],
      ['five fields, bodies of 1,000', five, entriesOf(fiveFieldRow, 1000), 1],
      ['the same as line protocol', ingestOf(3, lineFields), lineEntries(1000, 'lines-ns'), 1],
      ['line protocol, escaped tags', ingestOf(3, lineFields), lineEntries(1000, 'lines-ns', 'plant\\ '), 1],
      ['a row a field, escaped tags', byField, lineEntries(1000, 'fields-ns', 'plant\\ '), 1],
      ['line protocol, a row a field', byField, lineEntries(1000, 'fields-ns'), 1],
      ['{D,T,V}, one a body, 100 bodies a call', three, entriesOf(threeFieldRow, 1), 100],
      ['{D,T,V}, one a body, one body a call', three, entriesOf(threeFieldRow, 1), 1],
    ]
  const rows = cases.map(([title, ingest, entries, perCall]) => [
    title,
    ...figuresOf(entries, ingest, perCall).map((figure) => (figure / 1e6).toFixed(2)),
  ])
  printTable('Judging rows, M rows/s on one core', ['rows', 'JSON.parse alone', 'checkBody', 'judge'], rows)
}
