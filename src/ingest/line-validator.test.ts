// Each form of a line of line protocol, compared with InfluxDB's rules, and the fast scanner compared with a naive second parser.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { rounds } from '../../test/support/rounds.ts'
import type { PlacedEntry } from '../journal/journal.ts'
import { isLine } from '../lib/line-protocol/parse-line.ts'
import { valueAt } from '../model/column.ts'
import type { Field, FieldRole, FieldType } from '../model/field.ts'
import type { Ingest } from '../model/ingest.ts'
import { type LineFormat, type LinePrecision, lineFormatOf } from '../model/line-format.ts'
import { RowValidator, type ValidationResult } from './row-validator.ts'
import { checkBody } from './scan/check-body.ts'
import { firstRow, type StepBudget, unbounded } from './step-budget.ts'

const field = (name: string, type: FieldType, role: FieldRole): Field => ({ name, source: name, type, role })
const fields = [
  field('time', 'timestamp', 'time'),
  field('measurement', 'string', 'tag'),
  field('host', 'string', 'dimension'),
  field('v', 'double', 'metric'),
  field('n', 'long', 'metric'),
  field('b', 'boolean', 'metric'),
  field('s', 'string', 'metric'),
  field('a b,c=d', 'double', 'metric'),
]
const wide: Ingest = {
  ...{ id: 1, alias: 'plant', kind: 'series', entity: 'plant', entityId: 1, fields, fieldsVersion: 1 },
  ...{ duplicates: 'keep', state: 'active', reason: null, createdMs: 0 },
}
const byField: Ingest = {
  ...wide,
  fields: [
    field('D', 'timestamp', 'time'),
    field('T', 'string', 'tag'),
    field('V', 'double', 'metric'),
    field('S', 'string', 'metric'),
    field('unit', 'string', 'dimension'),
  ],
  lines: { tag: '{measurement}.{host}.{field}' },
}
const receivedMs = 1_700_000_000_000

function entryOf(text: string | Buffer, format: LineFormat, position = 0): PlacedEntry {
  const body = Buffer.from(text)
  const rows = checkBody(body, format)
  return {
    ...{ ingestId: 1, fieldsVersion: 1, subscriberId: 1, receivedMs, idempotencyKey: null },
    ...{ format, position, rows, body },
  }
}

type Shown = Readonly<Record<string, unknown>> | string

/** By position: stored rows as objects without their nulls, rejected rows as code, field and text. */
function shown({ batch, rejected }: ValidationResult): ReadonlyMap<number, Shown> {
  const all = new Map<number, Shown>()
  for (const { position, code, field: at, row } of rejected) all.set(position, [code, at, row].join('|'))
  batch?.positions.forEach((position, i) => {
    const values = batch.columns.map((column, place) => [batch.fields[place]!.name, valueAt(column, i)] as const)
    all.set(position, Object.fromEntries(values.filter(([, value]) => value !== null)))
  })
  return all
}

function validatedLines(text: string | Buffer, ingest = wide, precision: LinePrecision = 'ns'): readonly Shown[] {
  const entry = entryOf(text, lineFormatOf(precision, ingest.lines !== undefined))
  const all = shown(new RowValidator({ rowBytes: 1 << 20 }).validate([entry], ingest))
  return Array.from({ length: entry.rows }, (_, position) => all.get(position) ?? 'nothing')
}

const row = (values: object, ms = receivedMs) => ({ time: ms, measurement: 'm', ...values })
const bad = (text: string) => `invalid_line||${text}`

// The cases of `TestParsePoint...` in InfluxDB's models/points_test.go, in its order: escapes, quotes, numbers, times, comments, ends.
test.each<[line: string, became: Shown]>([
  ['m v=1', row({ v: 1 })],
  ['m v=1 1', row({ v: 1 }, 0)],
  ['m,host=a v=1 1767225600123999999', row({ host: 'a', v: 1 }, 1767225600123)],
  ['m,host=a v=1 -1', row({ host: 'a', v: 1 }, -1)],
  ['  m v=1', row({ v: 1 })],
  ['m  v=1  1000000 ', row({ v: 1 }, 1)],
  ['m v=1\t5', bad('m v=1\t5')],
  // Missing parts.
  ['m', bad('m')],
  [',host=a v=1', bad(',host=a v=1')],
  ['m,host=a', bad('m,host=a')],
  ['m, v=1', bad('m, v=1')],
  ['m,host v=1', bad('m,host v=1')],
  ['m,=a v=1', bad('m,=a v=1')],
  ['m,host= v=1', bad('m,host= v=1')],
  ['m,host=,x=b v=1', bad('m,host=,x=b v=1')],
  ['m,host=a=b v=1', bad('m,host=a=b v=1')],
  ['m,host=a,host=b v=1', bad('m,host=a,host=b v=1')],
  ['m v', bad('m v')],
  ['m v=', bad('m v=')],
  ['m v=,n=1i', bad('m v=,n=1i')],
  ['m =1', bad('m =1')],
  ['m v=1,=2', bad('m v=1,=2')],
  ['m v=1,', bad('m v=1,')],
  ['m v=1 x', bad('m v=1 x')],
  ['m v=1 1.5', bad('m v=1 1.5')],
  ['m v=1 1 2', bad('m v=1 1 2')],
  ['m v=1 000000000000000000000001000000', row({ v: 1 }, 1)],
  ['m v=1 9223372036854775808', bad('m v=1 9223372036854775808')],
  // Escapes.
  ['m\\,x\\ y v=1', { ...row({ v: 1 }), measurement: 'm,x y' }],
  ['m\\=x v=1', { ...row({ v: 1 }), measurement: 'm=x' }],
  ['m=x v=1', { ...row({ v: 1 }), measurement: 'm=x' }],
  ['m,host=a\\,b\\ c\\=d v=1', row({ host: 'a,b c=d', v: 1 })],
  ['m,host=a\\b v=1', row({ host: 'a\\b', v: 1 })],
  ['m,host="a" v=1', row({ host: '"a"', v: 1 })],
  ['m a\\ b\\,c\\=d=1', row({ 'a b,c=d': 1 })],
  ['m,host=ü v=1', row({ host: 'ü', v: 1 })],
  // Strings.
  ['m s="a b,c=d"', row({ s: 'a b,c=d' })],
  ['m s="a\\"b\\\\c\\nd"', row({ s: 'a"b\\c\\nd' })],
  ['m s=""', row({ s: '' })],
  ['m s="a\nb",v=1 1000000', row({ s: 'a\nb', v: 1 }, 1)],
  ['m s="a', bad('m s="a')],
  ['m s=a"', bad('m s=a"')],
  ["m s='a'", bad("m s='a'")],
  ['m s="a"b', bad('m s="a"b')],
  // Booleans.
  ...['t', 'T', 'true', 'True', 'TRUE'].map((text): [string, Shown] => [`m b=${text}`, row({ b: true })]),
  ...['f', 'F', 'false', 'False', 'FALSE'].map((text): [string, Shown] => [`m b=${text}`, row({ b: false })]),
  ...['tRUE', 'tr', 'yes', 'truee'].map((text): [string, Shown] => [`m b=${text}`, bad(`m b=${text}`)]),
  // Numbers.
  ['m v=1.', row({ v: 1 })],
  ['m v=.5', row({ v: 0.5 })],
  ['m v=-.5', row({ v: -0.5 })],
  ['m v=007.250', row({ v: 7.25 })],
  ['m v=1e3', row({ v: 1000 })],
  ['m v=1.5E-3', row({ v: 0.0015 })],
  ['m v=1e+2', row({ v: 100 })],
  ['m v=3i', row({ v: 3 })],
  ['m n=3', row({ n: 3 })],
  ['m n=-0i', row({ n: 0 })],
  [`m,host=a\\b n=-${'0'.repeat(100)}7i`, row({ host: 'a\\b', n: -7 })],
  ['m n=9223372036854775807i', row({ n: 9223372036854775807n })],
  ['m n=-9223372036854775808i', row({ n: -9223372036854775808n })],
  ['m n=9223372036854775807u', row({ n: 9223372036854775807n })],
  ['m n=9223372036854775808i', bad('m n=9223372036854775808i')],
  ['m n=18446744073709551616u', bad('m n=18446744073709551616u')],
  ['m n=-1u', bad('m n=-1u')],
  // InfluxDB stores this as an unsigned integer; a long is signed.
  ['m n=18446744073709551615u', 'out_of_range|n|m n=18446744073709551615u'],
  ...['+1', '1.1.1', '1ii', '1.5i', '1e', 'NaN', 'inf', '-', '.', '0x1', '1e400', '1_0', '-i', '1e2i'].map(
    (text): [string, Shown] => [`m v=${text}`, bad(`m v=${text}`)],
  ),
  // Well-formed lines, as validated by the ingest.
  ['m x=1', 'unknown_field|x|m x=1'],
  ['m,x=1 v=1', 'unknown_field|x|m,x=1 v=1'],
  ['m v="1"', 'wrong_type|v|m v="1"'],
  ['m n=1.5', 'wrong_type|n|m n=1.5'],
  ['m time=1', 'invalid_time|time|m time=1'],
  ['m,measurement=a v=1', bad('m,measurement=a v=1')],
  ['m measurement="a"', bad('m measurement="a"')],
  ['m,v=a n=1i', 'wrong_type|v|m,v=a n=1i'],
  ['m v=1,v=2', row({ v: 2 })],
])('%j', (line, became) => {
  expect(validatedLines(line)).toEqual([became])
})

test.each<[precision: LinePrecision, time: string, ms: number | string]>([
  ['ns', '1767225600123456789', 1767225600123],
  ['ns', '-1', -1],
  ['us', '1767225600123456', 1767225600123],
  ['ms', '1767225600123', 1767225600123],
  ['s', '1767225600', 1767225600000],
  ['m', '29453760', 1767225600000],
  ['h', '490896', 1767225600000],
  ['s', '-62135596800', -62135596800000],
  ['s', '253402300799', 253402300799000],
  ['s', '253402300800', 'out_of_range|time|m v=1 253402300800'],
  ['h', '9223372036854775807', 'out_of_range|time|m v=1 9223372036854775807'],
])('a time in %s: %s', (precision, time, ms) => {
  expect(validatedLines(`m v=1 ${time}`, wide, precision)).toEqual([typeof ms === 'number' ? row({ v: 1 }, ms) : ms])
})

test('blank lines and comments make no row, CR LF ends a line, invalid lines keep their position', () => {
  const body =
    '# a comment, set a="x\n\nm v=1 1000000\r\n \t \nnonsense\n  # another\r\nm v=2 2000000\n\r\nm,host=a\\ b v=3 3000000'
  expect(validatedLines(body)).toEqual([
    row({ v: 1 }, 1),
    bad('nonsense'),
    row({ v: 2 }, 2),
    row({ host: 'a b', v: 3 }, 3),
  ])
  expect(validatedLines('#\n\n')).toEqual([])
})

/** Text in Latin-1, one byte per character, as some programs write it. */
const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1')

test('a byte that is not UTF-8 rejects its own line and no other', () => {
  const body = latin1(
    'm,host=a v=1 1000000\nm,host=\xe9 v=2 2000000\nm s="\xe9",v=2\nm \xe9=2\n# \xe9\nm,host=a v=3 3000000',
  )
  expect(validatedLines(body)).toEqual([
    row({ host: 'a', v: 1 }, 1),
    bad('m,host=\ufffd v=2 2000000'),
    bad('m s="\ufffd",v=2'),
    bad('m \ufffd=2'),
    row({ host: 'a', v: 3 }, 3),
  ])
  const two = latin1('cpu a=1,b=2 1000000\ncpu a=1,s="\xe9" 1000000\ncpu,host=\xe9 a=1,b=2\ncpu a=3,b=4 2000000')
  expect(validatedLines(two, byField)).toEqual([
    ...[1, 2].map((V) => ({ D: 1, T: `cpu..${'ab'[V - 1]}`, V })),
    bad('cpu a=1,s="\ufffd" 1000000'),
    bad('cpu,host=\ufffd a=1,b=2'),
    ...[3, 4].map((V) => ({ D: 2, T: `cpu..${'ab'[V - 3]}`, V })),
  ])
})

test('messages name the invalid byte, a carriage return that ends no line, and the limit that applies', () => {
  const messages = (text: string | Buffer, ingest = wide) => {
    const entry = entryOf(text, lineFormatOf('ns', ingest.lines !== undefined))
    return new RowValidator({ rowBytes: 100_000 }).validate([entry], ingest).rejected.map(({ message }) => message)
  }
  const none = 'no line of line protocol: '
  expect(messages(latin1('m v=1\n \tm,host=\xe9 v=2'))).toEqual([
    `${none}byte 8 of it, 0xE9, is not UTF-8: send it in UTF-8`,
  ])
  expect(messages(Buffer.from('m s="€"').subarray(0, 7))).toEqual([
    `${none}byte 6 of it, 0xE2, is not UTF-8: send it in UTF-8`,
  ])
  expect(messages('m v=1 1\rm v=2 2\r')).toEqual([
    `${none}1\rm v=2 2 is not a time, which is a whole number; a carriage return without a newline ends no line`,
  ])
  const long = (bytes: number) => `m s="${'x'.repeat(bytes - 6)}"`
  expect(messages(`${long(65_620)}\n${long(65_536)}`, byField)).toEqual([
    'the row has 65620 bytes, the most allowed is 65536',
  ])
  expect(messages(`${long(65_620)}\n${long(100_001)}`)).toEqual([
    'the row has 100001 bytes, the most allowed is 100000',
  ])
})

test('a surplus or missing quote rejects its own line only', () => {
  const body =
    'm s="a"" 1\nm s="b" 2000000\nm s="c 1\nm s="d",v=1 3000000\nm s="e\nf" 4000000\nm s="C:\\" 1\nm v=5 5000000'
  expect(validatedLines(body)).toEqual([
    bad('m s="a"" 1'),
    row({ s: 'b' }, 2),
    bad('m s="c 1'),
    row({ s: 'd', v: 1 }, 3),
    row({ s: 'e\nf' }, 4),
    bad('m s="C:\\" 1'),
    row({ v: 5 }, 5),
  ])
})

test('carriage returns before a newline are removed, and a carriage return ends a comment', () => {
  expect(validatedLines('m v=1\r\r\nm s="a"\r\r\r\n#\rm v=2 1000000\r\r')).toEqual([
    row({ v: 1 }),
    row({ s: 'a' }),
    row({ v: 2 }, 1),
  ])
  expect(validatedLines('cpu a=1,b=2 1000000\r\r\ncpu a=1 1000000\r\r\n', byField)).toHaveLength(3)
})

test('one row per field: the tag from the template, the value in the first metric that fits', () => {
  const body = 'cpu,host=a,unit=C,rack=r1 load=1.5,n=2i,note="x",on=t 1000000\nnone\nmem free=1 2000000'
  expect(validatedLines(body, byField)).toEqual([
    { D: 1, T: 'cpu.a.load', V: 1.5, unit: 'C' },
    { D: 1, T: 'cpu.a.n', V: 2, unit: 'C' },
    { D: 1, T: 'cpu.a.note', S: 'x', unit: 'C' },
    'wrong_type|on|cpu,host=a,unit=C,rack=r1 on=t 1000000',
    bad('none'),
    { D: 2, T: 'mem..free', V: 1 },
  ])
})

// A second parser, as naive as possible: regular expressions over a whole line.

const escaped = '(?:\\\\[\\s\\S]|[^\\\\, =])'
const lineForm = new RegExp(
  `^((?:\\\\[\\s\\S]|[^\\\\, ])+)((?:,${escaped}+=${escaped}+)*) +((?:${escaped}+=(?:"(?:\\\\[\\s\\S]|[^"\\\\])*"|[^", ]+),?)+)(?: +(-?\\d+))? *$`,
)

function naive(line: string): Readonly<Record<string, unknown>> | null {
  const [, measurement, tagText = '', fieldText = '', time] = lineForm.exec(line) ?? []
  if (measurement === undefined || fieldText.endsWith(',')) return null
  const plain = (text: string) => text.replace(/\\([,= ])/g, '$1')
  const all: Record<string, unknown> = { measurement: plain(measurement) }
  const pairs = new RegExp(`(${escaped}+)=("(?:\\\\[\\s\\S]|[^"\\\\])*"|${escaped}+)`, 'g')
  const tags = new Set<string>()
  for (const [, name, value] of tagText.matchAll(new RegExp(`,(${escaped}+)=(${escaped}+)`, 'g'))) {
    if (tags.has(plain(name!))) return null
    tags.add(plain(name!))
    all[plain(name!)] = plain(value!)
  }
  for (const [, name, value] of fieldText.matchAll(pairs)) {
    const read = naiveValue(value!)
    if (read === null) return null
    all[plain(name!)] = read
  }
  all['time'] = time === undefined ? receivedMs : Number(BigInt(time) / 1_000_000n)
  return all
}

function naiveValue(text: string): unknown {
  if (text.startsWith('"')) return text.slice(1, -1).replace(/\\(["\\])/g, '$1')
  if (/^(t|T|true|True|TRUE)$/.test(text)) return true
  if (/^(f|F|false|False|FALSE)$/.test(text)) return false
  if (/^-?\d+i$/.test(text)) return Number(text.slice(0, -1))
  return /^-?(\d+(\.\d*)?|\.\d+)(e-?\d+)?$/.test(text) ? Number(text) : null
}

const piece = fc.constantFrom('a', 'bc', 'ü', '\\,', '\\ ', '\\=', '\\n', '7', '-')
const bare = fc.array(piece, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(''))
const number = fc.oneof(
  fc.integer({ min: -999, max: 999 }).map(String),
  fc.integer({ min: -99, max: 99 }).map((n) => String(n / 8)),
  fc.constantFrom('1.', '.5', '1e3', '12345678901234567890', 'x', '1.5.'),
)
const pair = fc.oneof(
  number.map((text) => `v=${text}`),
  fc.integer({ min: -99, max: 99 }).map((n) => `n=${n}i`),
  fc.constantFrom('b=t', 'b=false', 'b=TRUE', 's="x y"', 's="a\\"b,c=\\\\"', 's="\\n"', 's=""', 'v', 'b=maybe', 'v=3i'),
)
const lineText = fc
  .record({
    measurement: bare,
    tags: fc.array(
      fc.oneof(
        bare.map((text) => `,host=${text}`),
        fc.constantFrom(',host=', ',host', ','),
      ),
      {
        maxLength: 2,
      },
    ),
    gap: fc.constantFrom(' ', ' ', ' ', '  ', ''),
    fields: fc.array(pair, { minLength: 1, maxLength: 4 }),
    time: fc.oneof(
      fc.constant(''),
      fc.bigInt({ min: 0n, max: 10n ** 18n }).map((time) => ` ${time}`),
      fc.constant(' x'),
    ),
  })
  .map(({ measurement, tags, gap, fields: all, time }) => `${measurement}${tags.join('')}${gap}${all.join()}${time}`)

const end = fc.constantFrom('\n', '\n', '\r\n', '\n\n', '\n# c\n')
const budgets = fc.record({
  rows: fc.integer({ min: 1, max: 4 }),
  bytes: fc.integer({ min: 1, max: 60 }),
  rejected: fc.integer({ min: 1, max: 3 }),
})

function inPieces(entry: PlacedEntry, ingest: Ingest, budget: StepBudget): ReadonlyMap<number, Shown> {
  const all = new Map<number, Shown>()
  const validator = new RowValidator({ rowBytes: 1 << 20 })
  for (let from = firstRow; ; ) {
    const result = validator.validate([entry], ingest, from, { ...budget })
    for (const [position, each] of shown(result)) all.set(position, each)
    if (result.reached.entries === 1) return all
    from = result.reached.place
  }
}

test('any lines match the naive parser, at once or in pieces, and fields split into rows do not depend on pieces', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(lineText, end), { maxLength: 8 }), budgets, (lines, budget) => {
      const body = lines.map(([text, ending]) => text + ending).join('')
      if (body === '') return
      const entry = entryOf(body, 'lines-ns')
      const whole = shown(new RowValidator({ rowBytes: 1 << 20 }).validate([entry], wide, firstRow, unbounded()))
      expect(inPieces(entry, wide, budget)).toEqual(whole)
      lines.forEach(([text], position) => {
        const expected = naive(text)
        expect([text, whole.get(position)]).toEqual([text, expected ?? bad(text)])
      })
      const split = entryOf(body, 'fields-ns')
      const validated = shown(new RowValidator({ rowBytes: 1 << 20 }).validate([split], byField, firstRow, unbounded()))
      expect(validated.size).toBe(split.rows)
      expect(inPieces(split, byField, budget)).toEqual(validated)
    }),
    { numRuns: rounds(2000) },
  )
})

const broken = fc
  .array(fc.constantFrom('m', ' ', 's="', '"', 'x', ',', '=', 'v=1', '\\', '\xe9', '\r', ',host=', 't'), {
    maxLength: 8,
  })
  .map((parts) => parts.join(''))
const good = fc
  .tuple(fc.constantFrom('v=1', 's="x y"', 's="a,b"', 'n=2i,s="c\\"d"', 's="e\nf"'), fc.integer({ min: 1, max: 999 }))
  .map(([values, ms]) => ({ text: `m ${values} ${ms}000000`, values, ms }))

/**
 * The indexes of the texts that begin a line. A quoted value may contain newlines, so a text that ends with `s="` and a later one with `"`
 * may form one line with everything between them. ` =,= ` replaces a newline, because it is valid in a line only within quotes.
 */
function linesOf(texts: readonly string[]): readonly number[] {
  const starts: number[] = []
  for (let at = 0; at < texts.length; at++) {
    starts.push(at)
    at = Math.max(
      at,
      texts.findIndex(
        (_, last) =>
          last > at &&
          isLine(
            texts
              .slice(at, last + 1)
              .join(' =,= ')
              .trim(),
          ),
      ),
    )
  }
  return starts
}

test('valid lines are stored, whatever lines are next to them', () => {
  const lines = fc.array(fc.oneof(good, broken), { maxLength: 12 })
  fc.assert(
    fc.property(lines, budgets, (all, budget) => {
      const body = latin1(all.map((one) => `${typeof one === 'string' ? one : one.text}\n`).join(''))
      if (body.length === 0) return
      const entry = entryOf(body, 'lines-ns')
      const stored = inPieces(entry, wide, budget)
      expect(stored).toEqual(shown(new RowValidator({ rowBytes: 1 << 20 }).validate([entry], wide)))
      const times = [...stored]
        .sort(([a], [b]) => a - b)
        .map(([, one]) => (typeof one === 'string' ? one : one['time']))
      const expected = linesOf(all.map((one) => (typeof one === 'string' ? one : one.text))).flatMap((at) => {
        const one = all[at]!
        return typeof one === 'string' ? [] : [one.ms]
      })
      expect(times.filter((time) => typeof time === 'number' && time < 1000)).toEqual(expected)
      const split = entryOf(body, 'fields-ns')
      expect(inPieces(split, byField, budget)).toEqual(
        shown(new RowValidator({ rowBytes: 1 << 20 }).validate([split], byField)),
      )
    }),
    { numRuns: rounds(3000) },
  )
})

test('lines of a series seen before give the same rows as each line alone, one row per field', () => {
  const some: Ingest = {
    ...byField,
    fields: [
      ...byField.fields,
      { name: 'host', source: 'host', type: 'string', role: 'dimension' },
      { name: 'text', source: 's', type: 'string', role: 'metric' },
      { name: 'whole', source: 'n', type: 'long', role: 'metric' },
    ],
  }
  const longFirst: Ingest = { ...some, id: 90, fields: [...some.fields].reverse() }
  const narrow: Ingest = { ...some, id: 91, fields: some.fields.filter(({ type }) => type !== 'double') }
  const ofFew = fc.constantFrom('a', 'b,host=x', 'b,host=y,other=z', 'c,host="q"', 'c\\ d,host=\\,', 'ü,v=1,host=é')
  const rest = fc
    .tuple(fc.array(pair, { minLength: 1, maxLength: 4 }), fc.constantFrom('', ' 1000000', ' 2000000', ' x', '  5'))
    .map(([all, time]) => `${all.join()}${time}`)
  const lines = fc.array(fc.tuple(ofFew, rest, end), { minLength: 1, maxLength: 30 })
  fc.assert(
    fc.property(lines, fc.constantFrom(some, longFirst, narrow), (all, ingest) => {
      const validator = new RowValidator({ rowBytes: 1 << 20 })
      const texts = all.map(([head, tail, ending]) => `${head} ${tail}${ending}`)
      const outcomes = (by: RowValidator, text: string) =>
        [...shown(by.validate([entryOf(text, 'fields-ns')], ingest))].sort(([a], [b]) => a - b).map(([, each]) => each)
      const whole = outcomes(validator, texts.join(''))
      const alone = texts.flatMap((text) => outcomes(new RowValidator({ rowBytes: 1 << 20 }), text))
      expect(whole).toEqual(alone)
    }),
    { numRuns: rounds(1000) },
  )
})
