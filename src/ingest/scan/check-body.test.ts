import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { codePoint } from '../../../test/support/code-point.ts'
import { rounds } from '../../../test/support/rounds.ts'
import type { BodyFormat } from '../../journal/journal.ts'
import { Problem, type ProblemCode } from '../../model/problem.ts'
import { checkBody, checkBodyInSlices } from './check-body.ts'

type Outcome = number | { code: ProblemCode; detail: string }

function check(body: string | Buffer, format: BodyFormat): Outcome {
  try {
    return checkBody(Buffer.from(body), format)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return { code: error.code, detail: error.message }
  }
}

const codeOf = (outcome: Outcome): ProblemCode | number => (typeof outcome === 'number' ? outcome : outcome.code)

function parsed(text: string): { value: unknown } | null {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return null
  }
}

function modelJson(text: string): ProblemCode | number {
  if (text === '') return 'invalid_body'
  const body = parsed(text)
  if (body === null) return 'invalid_json'
  if (Array.isArray(body.value)) return body.value.length
  return typeof body.value === 'object' && body.value !== null ? 1 : 'invalid_body'
}

function modelNdjson(text: string): ProblemCode | number {
  if (text === '') return 'invalid_body'
  const lines = text.split('\n').filter((line) => !/^[ \t\r]*$/.test(line))
  return lines.every((line) => parsed(line) !== null) ? lines.length : 'invalid_json'
}

const pieces = [...'{}[],:"\\ \n\t\r-+.0123456789eEtrufalsn\u0000\u001f\u007f\ufeff\u00a0é😀'].concat([
  '"a"',
  '"a":',
  '"\\u00e9"',
  '\\ud83d',
  '1.5e-3',
  '-0',
  'true',
  'false',
  'null',
  '[]',
  '{}',
  '01',
  '1.',
  '.5',
  'NaN',
])

const json = fc
  .tuple(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom(undefined, 1, '\t', ' \r\n'), fc.boolean())
  .map(([value, indent, inArray]) => JSON.stringify(inArray ? [value, value] : value, null, indent))

/** Valid texts with a few characters deleted, inserted or replaced. */
const mutated = fc
  .tuple(json, fc.array(fc.tuple(fc.nat(), fc.nat(2), fc.constantFrom(...pieces)), { maxLength: 2 }))
  .map(([text, changes]) =>
    changes.reduce((before, [place, removed, piece]) => {
      const at = place % (before.length + 1)
      return before.slice(0, at) + piece + before.slice(at + removed)
    }, text),
  )
  .map((text) => Buffer.from(text).toString())

const jumbled = fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((parts) => parts.join(''))

describe('accepts a body exactly when JSON.parse does', () => {
  const options = { numRuns: rounds(3000) }
  test('json', () => {
    fc.assert(
      fc.property(fc.oneof(json, mutated, jumbled), (text) => {
        expect(codeOf(check(text, 'json'))).toBe(modelJson(text))
      }),
      options,
    )
  })

  test('ndjson', () => {
    const lines = fc.array(fc.oneof(json, mutated, jumbled), { maxLength: 3 }).map((texts) => texts.join('\n'))
    fc.assert(
      fc.property(lines, (text) => {
        expect(codeOf(check(text, 'ndjson'))).toBe(modelNdjson(text))
      }),
      options,
    )
  })

  /** The same properties in each row, as most writers send them, with one changed place. */
  const rowsOfOneKind = fc
    .tuple(
      fc.dictionary(
        fc.string({ unit: codePoint, maxLength: 8 }),
        fc.oneof(fc.string(), fc.double(), fc.constantFrom(true, null)),
        {
          minKeys: 1,
          maxKeys: 4,
        },
      ),
      fc.constantFrom<readonly [comma: string, colon: string]>([',', ':'], [', ', ': '], [',', ':  ']),
      fc.array(fc.tuple(fc.nat(), fc.nat(2), fc.constantFrom(...pieces)), { maxLength: 1 }),
    )
    .map(([row, [comma, colon], changes]) => {
      const properties = Object.entries(row).map(
        ([key, value]) => `${JSON.stringify(key)}${colon}${JSON.stringify(value)}`,
      )
      const one = `{${properties.join(comma)}}`
      const rows = Array.from({ length: 3 + Math.ceil(600 / one.length) }, () => one)
      for (const [place, removed, piece] of changes) {
        const at = place % (one.length + 1)
        rows[place % rows.length] = one.slice(0, at) + piece + one.slice(at + removed)
      }
      return rows
    })

  test.each<[string, (rows: readonly string[]) => string, 'json' | 'ndjson', (text: string) => ProblemCode | number]>([
    ['arrays', (rows) => `[${rows.join(',')}]`, 'json', modelJson],
    ['spaced arrays', (rows) => `[\n  ${rows.join(',\n  ')}\n]\n`, 'json', modelJson],
    ['lines', (rows) => rows.join('\n'), 'ndjson', modelNdjson],
  ])('%s of many rows', (_, write, format, model) => {
    fc.assert(
      fc.property(rowsOfOneKind, (rows) => {
        const text = Buffer.from(write(rows)).toString()
        expect(codeOf(check(text, format))).toBe(model(text))
      }),
      options,
    )
  })

  test('rows at any offset of a long body, and an invalid row near its end', () => {
    for (const length of [10, 1000, 40_000, 70_000]) {
      const row = (at: number): string =>
        `{"s":"${'x'.repeat(length + (at % 7))}","n":-1.5e3,"m": ${at % 3 ? 'null' : '"\\n"'}}`
      const rows = Array.from({ length: Math.ceil(300_000 / length) }, (_, at) => row(at))
      expect(check(`[${rows.join(',')}]`, 'json')).toBe(rows.length)
      expect(check(rows.join('\n'), 'ndjson')).toBe(rows.length)
      const faulty = rows.with(-2, `{"s":"${'x'.repeat(length)}","n":01}`)
      expect(codeOf(check(`[${faulty.join(',')}]`, 'json'))).toBe('invalid_json')
      expect(codeOf(check(faulty.join('\n'), 'ndjson'))).toBe('invalid_json')
    }
  })

  const many = `{"a":0,"b":"${'x'.repeat(600)}"},`
  test.each([
    ['a short body', '[{"a\\n\\u12aF":[-1.5e+3,true,null,{}]},false]'],
    ['a long body', `[${many}{"a":-1.5E+30, "b": "x","c":true,"d":null},${many}{"a":0}]`],
  ])('with any one character of %s changed', (_, text) => {
    const begin = text.includes(many) ? many.length : 0
    for (let at = begin; at <= Math.min(text.length, begin + 60); at++) {
      for (const piece of ['', ...pieces]) {
        const changed = text.slice(0, at) + piece + text.slice(at + 1)
        expect([changed, codeOf(check(changed, 'json'))]).toEqual([changed, modelJson(changed)])
      }
    }
  })
})

test.each<[body: string, format: 'json' | 'ndjson', rows: number]>([
  ['{}', 'json', 1],
  [' [ ] ', 'json', 0],
  ['[1,[2,3],{"a":[4,5]}]', 'json', 3],
  ['\r\n \t', 'ndjson', 0],
  ['{}\n\n5\r\n[1,2]', 'ndjson', 3],
  [`${'['.repeat(513)}${']'.repeat(513)}`, 'json', 1],
])('%s as %s has %d rows', (body, format, rows) => {
  expect(check(body, format)).toBe(rows)
})

test.each<[body: string | Buffer, format: BodyFormat, code: ProblemCode, detail: string]>([
  ['', 'json', 'invalid_body', 'The body is empty: send one row as an object, or an array of rows.'],
  ['', 'ndjson', 'invalid_body', 'The body is empty: send one row a line.'],
  ['5', 'json', 'invalid_body', 'The body is a single value: send one row as an object, or an array of rows.'],
  [Buffer.from([0x5b, 0xff, 0x5d]), 'json', 'invalid_body', 'The body is not UTF-8: send JSON in UTF-8.'],
  [gzipSync('m v=1'), 'lines-ns', 'invalid_body', 'The body is gzip: send the header Content-Encoding: gzip.'],
  [gzipSync('{}'), 'json', 'invalid_body', 'The body is gzip: send the header Content-Encoding: gzip.'],
  [Buffer.from('\ufeffm v=1', 'utf16le'), 'lines-ns', 'invalid_body', 'The body is not UTF-8: send lines in UTF-8.'],
  [' ', 'json', 'invalid_json', 'The body is not JSON: it ends too early at line 1, column 2.'],
  ['[1', 'json', 'invalid_json', 'The body is not JSON: it ends too early at line 1, column 3.'],
  ['{"é😀":\n x}', 'json', 'invalid_json', 'The body is not JSON: unexpected "x" at line 2, column 2.'],
  ['{"é😀": ✗}', 'json', 'invalid_json', 'The body is not JSON: unexpected "✗" at line 1, column 8.'],
  ['[1] 2', 'json', 'invalid_json', 'The body is not JSON: unexpected "2" at line 1, column 5.'],
  ['["\n"]', 'json', 'invalid_json', 'The body is not JSON: a control character in a string at line 1, column 3.'],
  ['["\\x"]', 'json', 'invalid_json', 'The body is not JSON: an escape that JSON does not have at line 1, column 3.'],
  [
    '['.repeat(600),
    'json',
    'invalid_json',
    'The body is not JSON: nested deeper than 512 levels at line 1, column 514.',
  ],
  ['\ufeff{}', 'json', 'invalid_json', 'The body is not JSON: unexpected "\ufeff" at line 1, column 1.'],
  [
    '{}\n\n{"a":}\n{}',
    'ndjson',
    'invalid_json',
    'Line 3 is not JSON: unexpected "}" at column 6. Send one JSON object a line.',
  ],
  [
    '{}\n{"a":\n1}',
    'ndjson',
    'invalid_json',
    'Line 2 is not JSON: it ends too early at column 6. Send one JSON object a line.',
  ],
  [
    '{}\r\r\n{}\r{}',
    'ndjson',
    'invalid_json',
    'Line 2 is not JSON: unexpected "{" at column 4 behind a carriage return without a newline. Send one JSON object a line.',
  ],
  ['{}{}', 'ndjson', 'invalid_json', 'Line 1 is not JSON: unexpected "{" at column 3. Send one JSON object a line.'],
])('%j as %s: %s', (body, format, code, detail) => {
  expect(check(body, format)).toEqual({ code, detail })
})

test.each<[body: string, format: 'json' | 'ndjson']>([
  ['[1,2,3]', 'json'],
  ['1\n\n2\n3\n', 'ndjson'],
])('%j as %s is refused where two rows are the maximum, before the rest is checked', (body, format) => {
  const refusal = { code: 'too_many_rows', message: expect.stringContaining('more than 2 rows (limits.pushRows)') }
  const rows = (rowsMax: number) => ({ rowsMax, name: 'limits.pushRows' }) as const
  expect(checkBody(Buffer.from(body), format, rows(3))).toBe(3)
  for (const text of [body, body.replace('3', '3 and no JSON')]) {
    expect(() => checkBody(Buffer.from(text), format, rows(2))).toThrow(expect.objectContaining(refusal))
  }
})

/** The number of turns of the event loop during `work`. */
async function turnsOf(work: () => Promise<unknown>): Promise<number> {
  let turns = 0
  const turn = (): void => {
    turns++
    next = setImmediate(turn)
  }
  let next = setImmediate(turn)
  await work()
  clearImmediate(next)
  return turns
}

describe('a large body, checked in slices', () => {
  const row = `{"a":"${'x'.repeat(1000)}"}`
  // Nine slices.
  const bytes = 1_200_000
  const rows = Array.from({ length: bytes / 1000 }, () => row)

  const elements = '[1,2],'.repeat(bytes / 6)
  test.each([
    ['rows of an array', 'json', `[${rows.join()}]`, rows.length],
    ['rows', 'ndjson', rows.join('\n'), rows.length],
    ['comments before a line', 'lines-ns', `${'#\n'.repeat(bytes / 2)}m v=1`, 1],
    ['comments after a line', 'lines-ns', `m v=1\n${'# words\n'.repeat(bytes / 8)}`, 1],
    ['comments between lines of many rows', 'fields-ns', `m v=1,w=2\n${'#\n'.repeat(bytes / 2)}m v=1`, 3],
    ['blank lines', 'lines-s', `${'\n'.repeat(bytes)}m v=1`, 1],
    ['blanks', 'lines-s', `${' '.repeat(bytes)}m v=1`, 1],
    ['blank lines', 'ndjson', `${'\n'.repeat(bytes)}{}`, 1],
    ['blanks before a row', 'ndjson', `${' '.repeat(bytes)}{}`, 1],
    ['blanks after a row', 'ndjson', `{}${' '.repeat(bytes)}\n{}`, 2],
    ['blanks in an array', 'json', `[1,${' '.repeat(bytes)}2]`, 2],
    ['blanks around a body', 'json', `${' '.repeat(bytes)}[]${' '.repeat(bytes)}`, 0],
    ['one row', 'json', `{"a":[${elements}3]}`, 1],
    ['one row', 'ndjson', `{"a":[${elements}3]}`, 1],
  ] as const)(
    '%s of %s are counted as in one piece, while the event loop keeps running',
    async (_, format, body, count) => {
      const turns = await turnsOf(async () => {
        expect(await checkBodyInSlices(Buffer.from(body), format)).toBe(count)
      })
      expect(checkBody(Buffer.from(body), format)).toBe(count)
      expect(turns).toBeGreaterThan(6)
    },
  )

  test('several bodies at once are checked one per turn of the event loop', async () => {
    const body = Buffer.from(`[${rows.join()}]`)
    const one = await turnsOf(() => checkBodyInSlices(body, 'json'))
    const broken = Buffer.from(`[${rows.join()},]`)
    const three = await turnsOf(() =>
      Promise.all([
        checkBodyInSlices(body, 'json'),
        checkBodyInSlices(broken, 'json').catch(() => null),
        checkBodyInSlices(body, 'json'),
      ]),
    )
    expect(three).toBeGreaterThan(2.5 * one)
  })

  test.each([
    ['json', `[${rows.join()},]`],
    ['ndjson', `${rows.join('\n')}\n}`],
  ] as const)('%s is refused for an error at its end', async (format, body) => {
    await expect(checkBodyInSlices(Buffer.from(body), format)).rejects.toMatchObject({ code: 'invalid_json' })
  })
})
