// Compares Druid's expression language with the values that a real Druid 33.0.0 returned (recorded-values.ts), and with those that its documentation of
// expressions states, completed by the documentation of the Java and Joda-Time methods that it names.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { compileExpression, type Scope } from '../../src/druid-native/expression/compile.ts'
import { ExpressionError, ExpressionFault, parseExpression } from '../../src/druid-native/expression/syntax.ts'
import { type NativeType, sqlType, type Typed } from '../../src/druid-native/values/typed.ts'
import { wideRange } from '../../src/druid-time/bucket-sql.ts'
import { sql } from '../../src/lib/sql-text.ts'
import type { EngineValue } from '../../src/sql-engine/sql-engine.ts'
import { DuckDbEngine } from './duckdb-engine.ts'
import { type ExpressionRow, recordedValues } from './recorded-values.ts'

const types: Readonly<Record<string, NativeType>> = {
  __time: 'LONG',
  id: 'LONG',
  l: 'LONG',
  ok: 'LONG',
  d: 'DOUBLE',
  s: 'STRING',
  n: 'STRING',
  ts: 'STRING',
}

let engine: DuckDbEngine
beforeAll(async () => {
  engine = await DuckDbEngine.open()
})
afterAll(() => engine.close())

/** The value of an expression on a row; columns that the row lacks do not exist in the table. */
async function evaluate(text: string, row: ExpressionRow = {}): Promise<EngineValue | undefined> {
  const names = Object.keys(row)
  const scope: Scope = {
    range: wideRange,
    column: (name): Typed =>
      names.includes(name) ? { type: types[name]!, sql: sql.id(`c_${name}`) } : { type: null, sql: sql`NULL` },
  }
  const value = compileExpression(parseExpression(text), scope)
  const cells = names.map((name) => {
    const cell = row[name] ?? null
    const literal =
      typeof cell === 'bigint' ? sql.long(cell) : typeof cell === 'number' ? sql.double(cell) : sql`${cell}`
    return sql`CAST(${literal} AS ${sqlType(types[name]!)}) AS ${sql.id(`c_${name}`)}`
  })
  const statement = sql`SELECT ${value.sql} FROM (SELECT ${sql.join([sql`1 AS one`, ...cells], ', ')}) AS t`
  for await (const [found] of engine.run(statement)) return found?.[0]
  return undefined
}

function expectValue(found: EngineValue | undefined, expected: string | number | bigint | null): void {
  if (typeof expected === 'number' && Number.isFinite(expected) && typeof found === 'number')
    expect(found).toBeCloseTo(expected, 9 - Math.max(0, Math.ceil(Math.log10(Math.abs(expected) || 1))))
  else expect(found).toEqual(expected)
}

describe('recorded from Druid', () => {
  test.each(recordedValues)('%s on %o is %s', async (text, row, expected) => {
    expectValue(await evaluate(text, row), expected)
  })
})

const inf = Number.POSITIVE_INFINITY
const day = 86_400_000n

describe('as documented', () => {
  test.each<[string, string | number | bigint | null]>([
    // Literals and precedence.
    ['1', 1n],
    ['1.5', 1.5],
    ['1e3', 1000],
    ['2.5e-1', 0.25],
    ["'it\\'s'", "it's"],
    ["'\\u00e1\\n'", 'á\n'],
    ['null', null],
    ['nobody', null],
    ['"no body"', null],
    ['1 + 2 * 3', 7n],
    ['(1 + 2) * 3', 9n],
    ['2 ^ 3 ^ 2', 512n],
    ['-2 ^ 2', 4n],
    ['10 - 4 - 3', 3n],
    ['7 / 2 * 2', 6n],
    ['7 % 4', 3n],
    ['-7 % 4', -3n],
    ['-7 / 2', -3n],
    ['7.0 / 2', 3.5],
    ['7.5 % 2', 1.5],
    ['1.0 / 0', inf],
    ['-1.0 / 0', -inf],
    ['0.0 / 0', Number.NaN],
    ['9223372036854775807 + 1', -9223372036854775808n],
    ['-9223372036854775807 - 2', 9223372036854775807n],
    ['4611686018427387904 * 2', -9223372036854775808n],
    ["'a' + 'b'", 'ab'],
    ['1 + null', null],
    ['!1', 0n],
    ['!0', 1n],
    ['!null', null],
    // Truth values.
    ['100 && 11', 1n],
    ['0.7 || 0.3', 1n],
    ['100 && 0', 0n],
    ["'troo' && 'true'", 0n],
    ["'troo' || 'true'", 1n],
    ["'TRUE' && 1", 1n],
    ['-1 && 1', 0n],
    ['1 || null', 1n],
    ['null || 1', 1n],
    ['0 || nobody', null],
    ['1 && nobody', null],
    ['0 && nobody', 0n],
    ['nobody && 0', 0n],
    // Comparisons.
    ['1 < 2', 1n],
    ['2 <= 1', 0n],
    ["'a' < 'b'", 1n],
    ["'B' < 'a'", 1n],
    ["'10' < '9'", 1n],
    ["'10' < 9", 0n],
    ['1 == 1.0', 1n],
    ['1 != 2', 1n],
    ['null == null', null],
    ['1 > nobody', null],
    // General functions.
    ["cast('12', 'LONG')", 12n],
    ["cast('12.9', 'LONG')", 12n],
    ["cast('x', 'LONG')", null],
    ["cast(2.9, 'LONG')", 2n],
    ["cast(-2.9, 'LONG')", -2n],
    ["cast(1e300, 'LONG')", 9223372036854775807n],
    ["cast(1, 'DOUBLE')", 1],
    ["cast(100, 'STRING')", '100'],
    ["cast(100.0, 'STRING')", '100.0'],
    ["cast(1e7, 'STRING')", '1.0E7'],
    ["cast(9999999.0, 'STRING')", '9999999.0'],
    ["cast(0.001, 'STRING')", '0.001'],
    ["cast(0.0001, 'STRING')", '1.0E-4'],
    ["cast(-123456789.125, 'STRING')", '-1.23456789125E8'],
    ["cast(1.5e20, 'string')", '1.5E20'],
    ["array_offset(cast(array('true', 'x'), 'ARRAY<LONG>'), 0)", 1n],
    ["array_offset(cast(array('7', 'x'), 'ARRAY<LONG>'), 1)", null],
    ["array_offset(cast(array('2.5', 'FALSE'), 'ARRAY<DOUBLE>'), 1)", 0],
    ["array_offset(cast('true', 'ARRAY<LONG>'), 0)", 1n],
    ['coalesce(null, nobody, 3)', 3n],
    ['coalesce(null)', null],
    ["nvl(null, 'x')", 'x'],
    ["if(1, 'yes', 'no')", 'yes'],
    ["if(0, 'yes', 'no')", 'no'],
    ["if(nobody, 'yes', 'no')", 'no'],
    ["if(-1, 'yes', 'no')", 'no'],
    ['if(1, 1, 2.5)', 1],
    ["case_searched(0, 'a', 1, 'b')", 'b'],
    ["case_searched(0, 'a', 0, 'b')", null],
    ["case_simple(2, 1, 'one', 2, 'two')", 'two'],
    ["case_simple(nobody, 1, 'one', 'other')", 'other'],
    ['isnull(null)', 1n],
    ["isnull('')", 0n],
    ['notnull(0)', 1n],
    ['istrue(1)', 1n],
    ['istrue(nobody)', 0n],
    ['isfalse(nobody)', 0n],
    ['nottrue(nobody)', 1n],
    ['notfalse(!(nobody > 1))', 1n],
    ['isfalse(!(nobody > 1))', 0n],
    ['istrue(!(2 > 1))', 0n],
    ['isdistinctfrom(1, nobody)', 1n],
    ['notdistinctfrom(1, 1)', 1n],
    ['greatest(1, 2.5, null)', 2.5],
    ['least(3, 2)', 2n],
    ["greatest(9, '10')", '9'],
    ['greatest()', null],
    ['greatest(null, null)', null],
    // Texts.
    ["concat('a', 1, 2.5)", 'a12.5'],
    ["concat('a', null)", null],
    ["format('%s-%03d-%x', 'a', 7, 255)", 'a-007-ff'],
    ["format('%.2f%%', 12.345)", '12.35%'],
    ["format('%-4s|', 'ab')", 'ab  |'],
    ["like('abc', 'a%')", 1n],
    ["like('abc', 'a_')", 0n],
    ["like('a%', 'a\\\\%', '\\\\')", 1n],
    ["parse_long('12')", 12n],
    ["parse_long('-ff', 16)", -255n],
    ["parse_long('0xff', 16)", 255n],
    ["parse_long('101', 2)", 5n],
    ["parse_long('12.0')", null],
    ["regexp_extract('ab12', '[0-9]+')", '12'],
    ["regexp_extract('ab12', '([a-z]+)([0-9]+)', 2)", '12'],
    ["regexp_extract('ab', '[0-9]+')", null],
    ["regexp_like('ab12', '[0-9]')", 1n],
    ["regexp_like('ab', '^b')", 0n],
    ["regexp_replace('a-b-c', '-', '+')", 'a+b+c'],
    ["regexp_replace('ab', '(a)(b)', '$2$1')", 'ba'],
    ["contains_string('Foo', 'oo')", 1n],
    ["contains_string('Foo', 'OO')", 0n],
    ["icontains_string('Foo', 'OO')", 1n],
    ["replace('banana', 'an', 'X')", 'bXXa'],
    ["replace('ab', '', '\\\\')", '\\a\\b\\'],
    ["replace('ab', lower(''), '-')", '-a-b-'],
    ["substring('hello', 1, 3)", 'ell'],
    ["substring('hello', 1, -1)", 'ello'],
    ["substring('hello', 9, 2)", null],
    ["substring('hello', 4, 0)", ''],
    ["substring('hello', 5, 0)", null],
    [`${'substring('.repeat(24)}repeat('a', 25)${', 1, -1)'.repeat(24)}`, 'a'],
    ["left('hello', 2)", 'he'],
    ["right('hello', 2)", 'lo'],
    ["strlen('hello')", 5n],
    ["strlen('😀')", 2n],
    ['strlen(nobody)', null],
    ["strpos('hello', 'l')", 2n],
    ["strpos('hello', 'l', 3)", 3n],
    ["strpos('hello', 'z')", -1n],
    ["trim('  a  ')", 'a'],
    ["trim('xxaxx', 'x')", 'a'],
    ["ltrim('  a  ')", 'a  '],
    ["rtrim('  a  ')", '  a'],
    ["lower('ÁB')", 'áb'],
    ["upper('áb')", 'ÁB'],
    ["reverse('abc')", 'cba'],
    ["repeat('ab', 3)", 'ababab'],
    ["lpad('5', 3, '0')", '005'],
    ["rpad('5', 3, 'ab')", '5ab'],
    ["lpad('t0', 12, '😀')", '😀😀😀😀😀t0'],
    ["rpad('t', 5, 'a😀')", 'ta😀a'],
    ["lpad('hello', 2, '0')", 'he'],
    ["lpad('a', 3, '')", 'a'],
    // Numbers.
    ['abs(-3)', 3n],
    ['abs(-3.5)', 3.5],
    ['acos(2.0)', Number.NaN],
    ['asin(1.0)', Math.PI / 2],
    ['atan2(1.0, 1.0)', Math.PI / 4],
    ['cbrt(27)', 3],
    ['ceil(1.2)', 2],
    ['floor(-1.2)', -2],
    ['copysign(3.0, -1.0)', -3],
    ['cos(0)', 1],
    ['cosh(0)', 1],
    ['cot(1.0)', 1 / Math.tan(1)],
    ['div(7, 2)', 3n],
    ['div(7.5, 2)', 3n],
    ['div(-7, 2.0) / 2', -1n],
    ['div(1.5, 0.0)', 9223372036854775807n],
    ["concat(div(5.5, 2), '')", '2'],
    ['exp(1)', Math.E],
    ['expm1(0)', 0],
    ['hypot(3, 4)', 5],
    ['log(1)', 0],
    ['log(0)', -inf],
    ['log(-1)', Number.NaN],
    ['log10(1000)', 3],
    ['log1p(0)', 0],
    ['max(1, 2)', 2n],
    ['max(1, 2.5)', 2.5],
    ['min(1, 2)', 1n],
    ['max(1, nobody)', null],
    ['pi()', Math.PI],
    ['pow(2, 10)', 1024],
    ['remainder(5, 3)', -1],
    ['remainder(9223372036854775807, 3)', -1],
    ['remainder(-5, 3)', 1],
    ["cast('true', 'LONG')", 1n],
    ["cast('False', 'DOUBLE')", 0],
    ["cast('-7', 'LONG')", -7n],
    ["regexp_extract('a', '(a)|(b)', 2)", null],
    ["regexp_extract('Hello', '(?<first>H)', 1)", 'H'],
    ["regexp_replace('Hello', 'l', '\\\\$')", 'He$$o'],
    ['remainder(5, 2)', 1],
    ['remainder(7, 2)', -1],
    ['remainder(0.5, 1.0 / 0)', 0.5],
    ["reverse('é\\r\\nb')", 'b\n\ré'],
    ["rpad('😀😀', 3, '-')", '😀'],
    ["lpad('a😀b', 3, '')", 'a😀'],
    ["format('%5s|%-5s|', 'a😀', '😀')", '  a😀|😀   |'],
    ["icontains_string('ς', 'Σ')", 1n],
    ["timestamp_parse(' 2026-01-02', 'yyyy-MM-dd')", null],
    ["timestamp_format(null, 'G')", null],
    ['rint(2.5)', 2],
    ['round(2.5)', 3],
    ['round(1.4999999999999998)', 1],
    ['hypot(3, 4)', 5],
    ['hypot(1e308, 1e308)', 1.4142135623730951e308],
    ['hypot(3e-300, 4e-300)', 5e-300],
    ['hypot(0, 0)', 0],
    ['hypot(0, nobody)', null],
    ['hypot(1.0 / 0, 0.0 / 0)', Number.POSITIVE_INFINITY],
    ['pow(1, 1.0 / 0)', Number.NaN],
    ['pow(1, 0.0 / 0)', Number.NaN],
    ['-1.0 ^ (-1.0 / 0)', Number.NaN],
    ['pow(2, 1.0 / 0)', Number.POSITIVE_INFINITY],
    ['pow(0.0 / 0, 0)', 1],
    ['pow(1, nobody)', null],
    ['bitwiseShiftRight(9223372036854775807, 1)', 4611686018427387903n],
    ['bitwiseShiftRight(-3, 1)', -2n],
    ["format('%f', 1e308)", `1${'0'.repeat(308)}.000000`],
    ["format('%.2f', 0.125)", '0.13'],
    ["format('%.1f|%10.1f|%-8.1f|%08.1f', 2.25, 2.25, -2.25, -2.25)", '2.3|       2.3|-2.3    |-00002.3'],
    ["format('%,.1f|%+.0f', 1234567.25, 2.5)", '1,234,567.3|+3'],
    ["format('%f', 1.0 / 0)", 'Infinity'],
    // Arguments that do not fit the format are appended to it, as in Druid.
    ["format('%d%s', 1.5)", '%d%s; 1.5'],
    ["format('%x %o %e', -1, 8, 1.0)", 'ffffffffffffffff 10 1.000000e+00'],
    ['round(-0.49999999999999994)', -0],
    ['round(2.675, 2)', 2.68],
    ['round(1234, -2)', 1200n],
    ['round(0.0 / 0.0)', 0],
    ['safe_divide(7, 2)', 3n],
    ['safe_divide(0, 0)', null],
    ['safe_divide(0.0, 0)', 0],
    ['safe_divide(0.5, 0)', null],
    ['safe_divide(0.5, 0.0 / 0)', null],
    ['safe_divide(0.0, 0.0 / 0)', 0],
    ['safe_divide(0.5, 1.0 / 0)', 0],
    ['-0.5 % 2', -0.5],
    ['-5.5 % -2', -1.5],
    ['5.5 % (1 / 0.0)', 5.5],
    ["cast(null, 'LONG') ^ 2", null],
    ["2 ^ cast(null, 'LONG')", null],
    ['0 ^ 0', 1n],
    ['safe_divide(7, 0)', null],
    ['safe_divide(-9223372036854775807 - 1, -1)', -9223372036854775808n],
    ['-(-9223372036854775807 - 1)', -9223372036854775808n],
    ['abs(-9223372036854775807 - 1)', -9223372036854775808n],
    ['safe_divide(7.0, 2)', 3.5],
    ['signum(-2.5)', -1],
    ['sqrt(16)', 4],
    ['sqrt(-1)', Number.NaN],
    ['todegrees(3.141592653589793)', 180],
    ['toradians(180)', Math.PI],
    ['bitwiseAnd(6, 3)', 2n],
    ['bitwiseOr(6, 3)', 7n],
    ['bitwiseXor(6, 3)', 5n],
    ['bitwiseComplement(0)', -1n],
    ['bitwiseShiftLeft(1, 4)', 16n],
    ['bitwiseShiftRight(-16, 2)', -4n],
    // Times.
    ["timestamp('1970-01-02')", day],
    ["timestamp('1970-01-02T00:00:00.5Z')", day + 500n],
    ["unix_timestamp('1970-01-02')", 86_400n],
    ["timestamp_parse('1970-01-02 00:00:01')", day + 1000n],
    ["timestamp_parse('1970-01-02T01:00:00+01:00')", day],
    ["timestamp_parse('1970-01-02', null, 'Europe/Madrid')", day - 3_600_000n],
    ["timestamp_parse('02/01/1970', 'dd/MM/yyyy')", day],
    ["timestamp_parse('nonsense')", null],
    ["timestamp_parse('10')", -61_851_600_000_000n],
    ["timestamp_floor(90000000, 'P1D')", day],
    ["timestamp_floor(-1, 'P1D')", -day],
    ["timestamp_floor(90000000, 'P1M', null, 'Asia/Kolkata')", -19_800_000n],
    ["timestamp_ceil(90000000, 'P1D')", 2n * day],
    ["timestamp_ceil(86400000, 'P1D')", day],
    ["timestamp_shift(2592000000, 'P1M', 1)", 58n * day],
    ["timestamp_shift(0, 'P1D', -1)", -day],
    ["timestamp_extract(0, 'DOW')", 4n],
    ["timestamp_extract(0, 'DOY')", 1n],
    ["timestamp_extract(0, 'WEEK')", 1n],
    ["timestamp_extract(0, 'QUARTER')", 1n],
    ["timestamp_extract(0, 'YEAR', 'America/Los_Angeles')", 1969n],
    ["timestamp_extract(90061001, 'SECOND')", 1n],
    ["timestamp_extract(90061001, 'EPOCH')", 90_061n],
    ['timestamp_format(0)', '1970-01-01T00:00:00.000Z'],
    ["timestamp_format(0, 'yyyy-MM-dd HH:mm:ss', 'Europe/Madrid')", '1970-01-01 01:00:00'],
    ["timestamp_format(0, 'EEEE d MMMM yy h a')", 'Thursday 1 January 70 12 AM'],
    ["timestamp_format(0, 'Z ZZ', 'Asia/Kolkata')", '+0530 +05:30'],
    ["timestamp_format(0, '\\'at\\' HH')", 'at 00'],
    ['timestamp_format(nobody)', null],
  ])('%s is %s', async (text, expected) => {
    expectValue(await evaluate(text), expected)
  })
})

test.each(['hypot(0, d)', 'hypot(0.0 / 0, d)', 'hypot(d, 1.0 / 0)', 'nextAfter(d, 0.0 / 0)', 'safe_divide(l, id)'])(
  '%s is null if a column is null',
  async (text) => {
    expect(await evaluate(text, { d: null, l: null, id: -1n })).toBeNull()
  },
)

describe('refused', () => {
  test.each([
    'added + * 2',
    'a ++ 1',
    "a = 'x'",
    "a == 'x' AND b > 5",
    "'open",
    '(1',
    'f(1,)',
    '1 2',
    '[1, 2',
    "'\\x'",
    '[1 2]',
    '[-1]',
    '[1 + 1]',
    '[s]',
    '<FLOAT>[1]',
  ])('%s is not an expression', (text) => {
    expect(() => parseExpression(text)).toThrow(ExpressionFault)
  })

  test.each([
    ['frobnicate(1)', 'there is no function'],
    ['strlen(1, 2)', 'takes 1 arguments, not 2'],
    ["timestamp_floor(1, 'P1D', null, 'Europe/Nowhere')", 'there is no time zone'],
    ["timestamp_floor(1, 'P0D')", 'longer than 0'],
    ["timestamp_extract(1, 'AGE')", 'there is no unit'],
    ["cast(1, 'DATE')", 'there is no type'],
    ["regexp_like('a', '(a')", 'not a regular expression'],
    ["'a' - 'b'", 'takes numbers'],
    ['99999999999999999999', 'not a 64-bit number'],
    ["lookup('a', 'names')", 'the function "lookup"'],
    ["mv_length('a')", 'there is no function'],
    ["[1, 'a']", 'must have one type'],
    ["<LONG>['1']", 'must have one type'],
    ['-[1]', 'takes a number, not an array'],
    ['any(1, [1])', 'needs a lambda as its first argument'],
    ['map((x, y) -> x + y, [1, 2])', 'a lambda whose parameters do not match'],
    ['map(() -> 1, [1, 2])', 'a lambda whose parameters do not match'],
    ['map((x) -> x)', 'do not match the arguments'],
    ['map((x) -> null, [1, 2])', 'returns only null'],
    ['abs(x -> x)', 'a lambda is only allowed as the first'],
    ['map((x) -> array(x, 1), [1, 2])', 'an array of arrays'],
    ["array_concat([1], ['a'])", 'arrays of different types'],
    ["if(1, [1], 'a')", 'an array combined with a single value'],
    ["if(1, [1], ['a'])", 'a combination of arrays of different types'],
    ['greatest([1], [2])', 'do not accept arrays'],
    ["string_to_array('ab', 'b*')", 'matches an empty string'],
    ["mv_to_array('a')", 'must be a column'],
    ["json_value(parse_json('{}'), 'a')", 'begins with "$"'],
    ["json_value(parse_json('{}'), '$..a')", 'is not a path'],
    ["json_value(parse_json('{}'), '$.a', 'FLOAT')", 'the type must be one of'],
    ["json_value(parse_json('{}'), '$.a') + 1", 'JSON without a declared type'],
    ["json_object('a')", 'in pairs'],
    ["ipv4_match('1.2.3.4', '1.2.3.4')", 'is not a subnet'],
    ["ipv4_match('1.2.3.4', '1.2.3.4/33')", 'is not an IPv4 subnet'],
    ["ipv6_match('::1', '1.2.3.4/8')", 'is not an IPv6 subnet'],
    ['human_readable_decimal_format(1, 4)', 'must be 0 to 3'],
  ])('%s: %s', async (text, message) => {
    const failing = evaluate(text)
    await expect(failing).rejects.toThrow(ExpressionError)
    await expect(failing).rejects.toThrow(message)
  })

  test('a long divided by zero fails', async () => {
    await expect(evaluate('1 / 0')).rejects.toThrow('divided by zero')
    await expect(evaluate('1 % 0')).rejects.toThrow('divided by zero')
    expectValue(await evaluate('if(l != 0, 10 / l, -1)', { l: 0n }), -1n)
  })
})
