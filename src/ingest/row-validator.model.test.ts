// The validator compared with a model in which rows are lists of properties, without bytes.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { codePoint } from '../../test/support/code-point.ts'
import { rounds } from '../../test/support/rounds.ts'
import { UsedMemory } from '../../test/support/used-memory.ts'
import { foreseenFault } from '../file-push/foreseen-fault.ts'
import type { PlacedEntry } from '../journal/journal.ts'
import { BorrowedArrays } from '../lib/spare-buffers.ts'
import { type Value, valueAt } from '../model/column.ts'
import type { Field } from '../model/field.ts'
import type { Ingest } from '../model/ingest.ts'
import { earliestMs, latestMs, parseInstant } from '../model/instant.ts'
import type { RejectCode } from '../model/row-fault.ts'
import { RowValidator, type ValidationResult } from './row-validator.ts'
import { firstRow, type StepBudget } from './step-budget.ts'

/** A pushed property: its name, the spelling of its name, the text of its value. */
interface Property {
  readonly name: string
  readonly key: string
  readonly value: string
}

/** Text pushed as one row: an object with its properties, or another text (null). */
type PushedRow = { readonly text: string; readonly properties: readonly Property[] | null }

/** A field without a property in the row, where that differs from a null. */
const absent = Symbol('absent')

type Outcome =
  | { readonly stored: readonly (Value | typeof absent)[] }
  | { readonly code: RejectCode; readonly field: string | null }

// The model.

const notWhole = Symbol('not whole')

/** The integer that a number's text represents, computed with whole numbers only. */
function wholeOf(text: string): bigint | typeof notWhole {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  const power = Number(exponent) - fraction.length
  const digits = BigInt(whole + fraction)
  const divisor = 10n ** BigInt(Math.max(0, -power))
  return digits % divisor === 0n ? (digits / divisor) * 10n ** BigInt(Math.max(0, power)) : notWhole
}

const fails = { wrong: { code: 'wrong_type' }, range: { code: 'out_of_range' } } as const
type ValidatedEntries = { readonly value: Value } | (typeof fails)[keyof typeof fails]

function modelNumber(type: Field['type'], text: string): ValidatedEntries {
  if (type === 'double') return Number.isFinite(Number(text)) ? { value: Number(text) } : fails.range
  const whole = wholeOf(text)
  if (whole === notWhole) return fails.wrong
  if (type === 'timestamp') return whole < earliestMs || whole > latestMs ? fails.range : { value: Number(whole) }
  if (BigInt.asIntN(64, whole) !== whole) return fails.range
  return { value: Number.isSafeInteger(Number(whole)) ? Number(whole) : whole }
}

function modelValue(type: Field['type'], text: string): ValidatedEntries {
  const value: unknown = JSON.parse(text)
  if (value === null) return { value }
  if (typeof value === 'boolean') return type === 'boolean' ? { value } : fails.wrong
  if (typeof value === 'number') return type === 'string' || type === 'boolean' ? fails.wrong : modelNumber(type, text)
  if (typeof value !== 'string') return fails.wrong
  if (type === 'string') return Buffer.from(value).toString() === value ? { value } : fails.wrong
  const ms = type === 'timestamp' ? parseInstant(value) : null
  return ms === null ? fails.wrong : { value: ms }
}

function modelRow({ properties }: PushedRow, { fields, duplicates }: Ingest): Outcome {
  if (properties === null) return { code: 'not_an_object', field: null }
  const last = new Map(properties.map(({ name, value }) => [name, value]))
  const values = new Map<string, Value>()
  for (const [name, text] of last) {
    const field = fields.find(({ source }) => source === name)
    if (field === undefined) return { code: 'unknown_field', field: name }
    const validated = modelValue(field.type, text)
    if ('value' in validated) values.set(name, validated.value)
    else if (field.role === 'time' && validated.code === 'wrong_type') return { code: 'invalid_time', field: name }
    else return { code: validated.code, field: name }
  }
  const stored = fields.map(({ source }) => values.get(source) ?? null)
  for (const [role, code] of [
    ['time', 'missing_time'],
    ['tag', 'missing_tag'],
  ] as const) {
    const field = fields.find((candidate, i) => candidate.role === role && stored[i] === null)
    if (field !== undefined) return { code, field: field.source }
  }
  if (duplicates === 'keep') return { stored }
  return { stored: fields.map(({ source }, i) => (values.has(source) ? stored[i]! : absent)) }
}

// The pushes.

const space = fc.constantFrom('', '', '', ' ', '  ', '\t', '\r')

/** A string as JSON with some of its UTF-16 units escaped. */
const spelt = (text: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.tuple(text, fc.constantFrom(0, 0, 0, 1, 2)).map(([plain, every]) => {
    const units = plain.split('').map((unit, i) => {
      const isHalf = unit >= '\ud800' && unit <= '\udfff'
      const isEscaped = every > 0 && (isHalf || i % every === 0)
      return isEscaped ? `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}` : JSON.stringify(unit).slice(1, -1)
    })
    return every > 0 ? `"${units.join('')}"` : JSON.stringify(plain)
  })

const text = fc.oneof(
  fc.constantFrom('', 'a', 'b', '01PHD.OSL101.PV', '01PHD.OSL102.PV', 'é', '😀', '\u0000', '"\\', '\ud800', 'x\udc00'),
  fc.string({ unit: codePoint, maxLength: 6 }),
)

const numberText = fc.oneof(
  fc.constantFrom('0', '-0', '5.0', '1e3', '-1.50E+1', '1e999', '9223372036854775807', '-9223372036854775809', '1e-7'),
  fc.constantFrom('9007199254740993', '0.30000000000000004', '253402300800000', '-62135596800000', '1700000000000.0'),
  fc.integer().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.stringMatching(/^-?(0|[1-9]\d{0,19})(\.\d{1,20})?([eE][+-]?\d{1,2})?$/),
)

const timeText = fc.constantFrom(
  '2026-01-01T00:00:00.000Z',
  '2026-01-01T00:00:10Z',
  '2026-02-30T00:00:00Z',
  '2024-02-29',
  '20260101T1200',
  '2026-01-01T00:00:00.12+02:00',
  'now',
)

const value: Record<Exclude<Field['type'], 'json'>, fc.Arbitrary<string>> = {
  string: spelt(text),
  double: numberText,
  long: numberText,
  boolean: fc.constantFrom('true', 'false'),
  timestamp: fc.oneof(spelt(timeText), numberText),
}
const nested = fc.constantFrom('{}', '[]', '{"D": "}]", "x": [1, {"\\"": 2}]}', '[ null , "\\\\" ]')
const anyValue = fc.oneof(fc.constant('null'), nested, ...Object.values(value))

const types = fc.constantFrom<Exclude<Field['type'], 'json'>>('string', 'double', 'long', 'boolean', 'timestamp')
const sources = ['V', 'W', '__proto__', 'é', '😀"', 'toString', '1', '0', 'a long source with spaces']

/** A time, one or two tags and some others, in any order. */
const fieldList: fc.Arbitrary<readonly Field[]> = fc
  .tuple(
    fc.constantFrom(...['T', 'T', ...sources]),
    fc.uniqueArray(fc.tuple(fc.constantFrom(...sources), types), { selector: ([source]) => source }),
  )
  .chain(([tag, others]) => {
    const rest = others.filter(([source]) => source !== tag)
    const list: Field[] = [
      { name: 'time', source: 'D', type: 'timestamp', role: 'time' },
      { name: 'tag', source: tag, type: 'string', role: 'tag' },
      ...rest.map(([source, type], i): Field => {
        const role = type === 'string' && i === 0 ? 'tag' : i % 2 === 0 ? 'metric' : 'dimension'
        return { name: `field${i}`, source, type, role }
      }),
    ]
    return fc.shuffledSubarray(list, { minLength: list.length })
  })

function propertyOf(field: Field): fc.Arbitrary<Property> {
  if (field.type === 'json') throw new Error('no series field is json')
  const likely = { weight: 30, arbitrary: value[field.type] }
  const odd = { weight: 1, arbitrary: anyValue }
  const none = { weight: field.role === 'time' || field.role === 'tag' ? 0 : 4, arbitrary: fc.constant('null') }
  return fc.record({
    name: fc.constant(field.source),
    key: fc.oneof(
      { weight: 20, arbitrary: fc.constant(JSON.stringify(field.source)) },
      spelt(fc.constant(field.source)),
    ),
    value: fc.oneof(likely, odd, none),
  })
}

const unknownProperty: fc.Arbitrary<Property> = fc
  .tuple(fc.constantFrom('X', 'd', 'time', 'constructor', '', '\u0000'), anyValue)
  .map(([name, value]) => ({ name, key: JSON.stringify(name), value }))

function objectRow(fields: readonly Field[]): fc.Arbitrary<PushedRow> {
  const each = fields.map(propertyOf)
  const orders = fc.oneof(
    { weight: 4, arbitrary: fc.constant(each) },
    { weight: 2, arbitrary: fc.shuffledSubarray(each) },
    { weight: 1, arbitrary: fc.shuffledSubarray([...each, ...each, unknownProperty]) },
  )
  return orders
    .chain((order) =>
      fc.tuple(fc.tuple(...order), fc.oneof(fc.constant(['']), fc.array(space, { minLength: 1, maxLength: 7 }))),
    )
    .map(([properties, spaces]) => {
      let place = 0
      const gap = (): string => spaces[place++ % spaces.length]!
      const inner = properties.map(({ key, value }) => `${gap()}${key}${gap()}:${gap()}${value}${gap()}`)
      return { text: `{${inner.length > 0 ? inner.join(',') : gap()}}`, properties }
    })
}

const otherRow: fc.Arbitrary<PushedRow> = fc
  .constantFrom('5', '"{}"', 'null', '[{"D":1}]', '[]', 'false')
  .map((other) => ({
    text: other,
    properties: null,
  }))

interface Push {
  readonly format: 'json' | 'ndjson'
  readonly rows: readonly PushedRow[]
  readonly gaps: string
}

const push = (fields: readonly Field[]): fc.Arbitrary<Push> =>
  fc.record({
    format: fc.constantFrom('json', 'ndjson'),
    rows: fc.array(fc.oneof({ weight: 15, arbitrary: objectRow(fields) }, { weight: 1, arbitrary: otherRow }), {
      maxLength: 6,
    }),
    gaps: space,
  })

// The comparison.

function entryOf({ format, rows, gaps }: Push, position: number): PlacedEntry {
  const texts = rows.map((row) => `${gaps}${row.text}${gaps}`)
  const body = format === 'ndjson' ? `\n${texts.join('\n\n')}` : `${gaps}[${texts.join(',') || gaps}]${gaps}\n`
  const header = { ingestId: 1, fieldsVersion: 1, subscriberId: 1, receivedMs: 0, idempotencyKey: null }
  return { ...header, format, position, rows: rows.length, body: Buffer.from(body) }
}

/** The outcome of each row, by position. */
function outcomes({ batch, rejected }: ValidationResult): ReadonlyMap<number, Outcome & { text?: string }> {
  const all = new Map<number, Outcome & { text?: string }>()
  for (const { position, code, field, row } of rejected) all.set(position, { code, field, text: row })
  batch?.positions.forEach((position, i) => {
    const stored = batch.columns.map((column, place) => {
      const value = valueAt(column, i)
      const isPushed = value !== null || batch.pushedNulls === undefined || batch.pushedNulls[place]?.[i] === 1
      return isPushed ? value : absent
    })
    all.set(position, { stored })
  })
  return all
}

function expectedOutcomes(entries: readonly PlacedEntry[], pushes: readonly Push[], ingest: Ingest) {
  const all = new Map<number, Outcome & { text?: string }>()
  pushes.forEach(({ rows }, i) => {
    rows.forEach((row, index) => {
      const outcome = modelRow(row, ingest)
      all.set(entries[i]!.position + index, 'code' in outcome ? { ...outcome, text: row.text } : outcome)
    })
  })
  return all
}

const anyBudget = fc.record({
  rows: fc.integer({ min: 1, max: 4 }),
  bytes: fc.integer({ min: 1, max: 60 }),
  rejected: fc.integer({ min: 1, max: 3 }),
})

/** The outcomes when the validation is done one budget at a time. */
function inPieces(validator: RowValidator, entries: readonly PlacedEntry[], ingest: Ingest, budget: StepBudget) {
  const all = new Map<number, Outcome & { text?: string }>()
  let left = entries
  for (let from = firstRow; left.length > 0; ) {
    const result = validator.validate(left, ingest, from, { ...budget })
    expect(result.rejected.length).toBeLessThanOrEqual(budget.rejected)
    for (const [position, outcome] of outcomes(result)) all.set(position, outcome)
    expect(result.reached).not.toEqual({ entries: 0, place: from })
    left = left.slice(result.reached.entries)
    from = result.reached.place
  }
  return all
}

test('stores or rejects every row as the model does, also in pieces and when validated again', () => {
  const calls = fieldList.chain((fields) =>
    fc.tuple(
      fc.constant(fields),
      fc.array(fc.array(push(fields), { maxLength: 3 }), { maxLength: 3 }),
      fc.constantFrom('keep' as const, 'replace' as const),
    ),
  )
  fc.assert(
    fc.property(calls, anyBudget, ([fields, batches, duplicates], budget) => {
      const definition = { id: 1, alias: 'a', kind: 'series', entity: 'a', entityId: 1, state: 'active' } as const
      const ingest: Ingest = { ...definition, fields, fieldsVersion: 1, duplicates, reason: null, createdMs: 0 }
      const arrays = new BorrowedArrays(new UsedMemory())
      const validator = new RowValidator({ rowBytes: 1 << 20, arrays })
      for (const pushes of batches) {
        let position = 100
        const entries = pushes.map((each) => {
          const entry = entryOf(each, position)
          position += Math.max(1, entry.rows)
          return entry
        })
        const expected = expectedOutcomes(entries, pushes, ingest)
        expect(outcomes(validator.validate(entries, ingest))).toEqual(expected)
        arrays.giveBack()
        expect(outcomes(new RowValidator({ rowBytes: 1 << 20 }).validate(entries, ingest))).toEqual(expected)
        expect(inPieces(validator, entries, ingest, budget)).toEqual(expected)
      }
    }),
    { numRuns: rounds(1000) },
  )
})

test('the fault foreseen for a row before its push equals that of the validator, word for word', () => {
  const calls = fieldList.chain((fields) => fc.tuple(fc.constant(fields), push(fields)))
  fc.assert(
    fc.property(calls, ([fields, pushed]) => {
      const definition = { id: 1, alias: 'a', kind: 'series', entity: 'a', entityId: 1, state: 'active' } as const
      const ingest: Ingest = { ...definition, fields, fieldsVersion: 1, duplicates: 'keep', reason: null, createdMs: 0 }
      const { rejected } = new RowValidator({ rowBytes: 1 << 20 }).validate([entryOf(pushed, 100)], ingest)
      const said = new Map(rejected.map(({ index, code, field, message }) => [index, { code, field, message }]))
      const foreseen = pushed.rows.map(({ text }) => foreseenFault(text, fields))
      expect(foreseen).toEqual(pushed.rows.map((_, index) => said.get(index) ?? null))
    }),
    { numRuns: rounds(1000) },
  )
})
