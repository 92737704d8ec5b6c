// Rows that no client should push: values of every kind in every field, dates with letters for digits, keys in any order, repeated or unknown. All of it is
// JSON, because other text never reaches the validator.
import fc from 'fast-check'
import type { Field } from '../../src/model/field.ts'
import type { Ingest } from '../../src/model/ingest.ts'
import { formatInstant } from '../../src/model/instant.ts'
import { codePoint } from '../support/code-point.ts'

const field = (name: string, type: Field['type'], role: Field['role'], source = name): Field => ({
  name,
  source,
  type,
  role,
})

const manyFields: readonly Field[] = [
  field('long', 'long', 'metric', '1'),
  field('date', 'timestamp', 'time', 'D'),
  field('tag', 'string', 'tag', 'T'),
  field('site', 'string', 'tag', 'é'),
  field('changed', 'timestamp', 'dimension'),
  field('note', 'string', 'dimension', '__proto__'),
  field('isOpen', 'boolean', 'metric'),
  field('count', 'long', 'dimension', '0'),
  field('value', 'double', 'metric', 'V'),
]

const defaults: readonly Field[] = [
  field('D', 'timestamp', 'time'),
  field('T', 'string', 'tag'),
  field('V', 'double', 'metric'),
]

const items = (type: Field['type']): readonly Field[] => [
  field('key', type, 'index'),
  field('made', 'timestamp', 'attribute'),
  field('more', 'json', 'attribute'),
  field('size', 'long', 'attribute', '7'),
]

function ingestOf(
  id: number,
  kind: Ingest['kind'],
  fields: readonly Field[],
  duplicates: Ingest['duplicates'],
): Ingest {
  const names = { alias: `a${id}`, entity: `e${id}`, entityId: id }
  return { id, ...names, kind, fields, fieldsVersion: 1, duplicates, state: 'active', reason: null, createdMs: 0 }
}

export const hostileIngests: readonly Ingest[] = [
  ingestOf(1, 'series', defaults, 'keep'),
  ingestOf(2, 'series', manyFields, 'keep'),
  ingestOf(3, 'series', manyFields, 'replace'),
  ingestOf(4, 'metadata', items('string'), 'keep'),
  ingestOf(5, 'metadata', items('timestamp'), 'keep'),
  ingestOf(6, 'metadata', items('long'), 'keep'),
  ingestOf(7, 'metadata', items('double'), 'keep'),
]

const instant = fc.oneof(
  fc.integer({ min: -62_135_596_800_000, max: 253_402_300_799_999 }),
  fc.integer({ min: Date.UTC(2024, 1, 28), max: Date.UTC(2024, 2, 2) }),
  fc.constantFrom(0, -1, Date.UTC(2000, 1, 29), Date.UTC(1900, 1, 28)),
)

/** Other forms of `2026-01-01T00:00:00.000Z`. */
const forms: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => text.slice(0, 19),
  (text) => `${text.slice(0, 19)}Z`,
  (text) => text.slice(0, 10),
  (text) => text.slice(0, 16),
  (text) => `${text.slice(0, 22)}+02:00`,
  (text) => `${text.slice(0, 19)}-0530`,
  (text) => `${text.slice(0, 19).replaceAll(/[-:]/g, '')}Z`,
  (text) => text.replace('.', ','),
]

const digitsBut = fc.constantFrom('Y', 'x', '/', ':', '?', '\u0000', ' ', '-', 'é', '"', '\\', '9', '0')

/** The start and length of the slice, which often is the whole day. */
const place = fc.oneof(fc.constant(0), fc.nat(24))
const length = fc.oneof(fc.constant(10), fc.nat(24))

/** A mostly invalid date: a slice of its digits is replaced by one other character, or some of its characters are changed. */
const brokenDate = fc
  .tuple(instant, fc.constantFrom(...forms), place, length, digitsBut, fc.boolean())
  .map(([ms, form, from, length, odd, digitsAlone]) => {
    const change = (part: string): string => (digitsAlone ? part.replaceAll(/\d/g, odd) : odd.repeat(part.length))
    const text = form(formatInstant(ms))
    return text.slice(0, from) + change(text.slice(from, from + length)) + text.slice(from + length)
  })

const dateText = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(instant, fc.constantFrom(...forms)).map(([ms, form]) => form(formatInstant(ms))) },
  { weight: 2, arbitrary: brokenDate },
)

const plainText = fc.oneof(
  fc.constantFrom('', 'a', 'b', 'ab', 'é', '😀', '\u0000', '"\\', '\ud800', 'x\udc00', '\ufeff', '}],', '5', 'null'),
  fc.string({ unit: codePoint, maxLength: 6 }),
  fc.constantFrom('k'.repeat(2048), `${'k'.repeat(2047)}é`),
)

/** A string as JSON, with all, some or only the necessary UTF-16 units escaped. */
const spelt = (text: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.tuple(text, fc.constantFrom(0, 0, 0, 1, 2)).map(([plain, every]) => {
    if (every === 0) return JSON.stringify(plain)
    const units = plain.split('').map((unit, index) => {
      const isHalf = unit >= '\ud800' && unit <= '\udfff'
      const isEscaped = isHalf || index % every === 0
      return isEscaped ? `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}` : JSON.stringify(unit).slice(1, -1)
    })
    return `"${units.join('')}"`
  })

const numberText = fc.oneof(
  fc.constantFrom('0', '-0', '5.0', '1e3', '-1.50E+1', '1e400', '-1e400', '1e-400', '0e9', '0.0', '-0.0e-3'),
  fc.constantFrom('9007199254740991', '9007199254740992', '9007199254740993', '-9007199254740993', '1e18', '1.5e-9'),
  fc.constantFrom('9223372036854775807', '9223372036854775808', '-9223372036854775808', '-9223372036854775809'),
  fc.constantFrom('253402300799999', '253402300800000', '-62135596800000', '-62135596800001', '0.30000000000000004'),
  fc.integer().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
  fc.stringMatching(/^-?(0|[1-9]\d{0,22})(\.\d{1,24})?([eE][+-]?\d{1,2})?$/),
)

const textOf: Record<Field['type'], fc.Arbitrary<string>> = {
  string: spelt(plainText),
  double: numberText,
  long: numberText,
  boolean: fc.constantFrom('true', 'false'),
  timestamp: fc.oneof({ weight: 3, arbitrary: spelt(dateText) }, { weight: 1, arbitrary: numberText }),
  json: fc.constantFrom('{}', '[]', '{"D": "}]", "x": [1, {"\\"": 2}]}', '[ null , "\\\\" ]', '"a b"', '1e5', 'false'),
}
const anyValue = fc.oneof(fc.constant('null'), ...Object.values(textOf))
const space = fc.constantFrom('', '', '', '', ' ', '  ', '\t', '\r')

const propertyOf = ({ type, source }: Pick<Field, 'type' | 'source'>): fc.Arbitrary<readonly [string, string]> =>
  fc.tuple(
    fc.oneof({ weight: 12, arbitrary: fc.constant(JSON.stringify(source)) }, spelt(fc.constant(source))),
    fc.oneof(
      { weight: 12, arbitrary: textOf[type] },
      { weight: 1, arbitrary: anyValue },
      { weight: 1, arbitrary: fc.constant('null') },
    ),
  )

const unknownProperty = fc
  .constantFrom('X', 'd', 'time', 'constructor', '', '\u0000', '2')
  .chain((source) => propertyOf({ source, type: 'string' }))

function objectRow(fields: readonly Field[]): fc.Arbitrary<string> {
  const each = fields.map(propertyOf)
  const orders = fc.oneof(
    { weight: 6, arbitrary: fc.constant(each) },
    { weight: 2, arbitrary: fc.shuffledSubarray(each) },
    { weight: 1, arbitrary: fc.shuffledSubarray([...each, ...each, unknownProperty]) },
  )
  return fc
    .tuple(
      orders.chain((order) => fc.tuple(...order)),
      fc.array(space, { minLength: 1, maxLength: 5 }),
    )
    .map(([properties, spaces]) => {
      let place = 0
      const gap = (): string => spaces[place++ % spaces.length]!
      return `{${properties.map(([key, value]) => `${gap()}${key}${gap()}:${gap()}${value}${gap()}`).join(',') || gap()}}`
    })
}

const otherRow = fc.constantFrom('5', '"{}"', 'null', '[{"D":1}]', '[]', 'false', '-1.5e3', '""')

/** The text of a row pushed to this ingest. */
export function hostileRow({ fields }: Ingest): fc.Arbitrary<string> {
  return fc.oneof({ weight: 20, arbitrary: objectRow(fields) }, { weight: 1, arbitrary: otherRow })
}

/** A row with an invalid date (a slice of a valid one with its digits replaced) and no other fault. */
export const brokenDateRow: fc.Arbitrary<string> = spelt(brokenDate).map((date) => `{"D":${date},"T":"a","V":1}`)
