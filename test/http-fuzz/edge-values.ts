// Strings, numbers and JSON at the edges of what programs expect.
import type { Random } from '../support/random.ts'

export function pick<T>(random: Random, all: readonly T[]): T {
  return all[random.below(all.length)]!
}

export const chance = (random: Random, percent: number): boolean => random.below(100) < percent

/** JSON text written unchanged: a number keeps its spelling, and the text may be invalid JSON. */
export class Raw {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

const edgeTexts: readonly string[] = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  'x\udfffy',
  '\u{1f600}',
  '\u2028',
  '\ufeff',
  '\u202e',
  'é',
  'e\u0301',
  '\r\n',
  '\t',
  '"',
  "'",
  "a' OR '1'='1",
  '\\',
  '%',
  '%00',
  '%zz',
  '_',
  '*',
  '.',
  '..',
  '../../etc/passwd',
  '/',
  '//',
  '?',
  '#',
  ';',
  ',',
  '[]',
  '{}',
  '$(x)',
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  '__time',
  'null',
  'undefined',
  'true',
  'NaN',
  'Infinity',
  '-Infinity',
  '0',
  '-0',
  '-1',
  '1e999',
  '1.7976931348623157e308',
  '9223372036854775807',
  '9223372036854775808',
  '-9223372036854775808',
  '99999999999999999999999999',
  '0x10',
  '1_000',
  'x'.repeat(128),
  'x'.repeat(129),
  'x'.repeat(5000),
  '\u{1f600}'.repeat(300),
  '('.repeat(2000),
]

export const edgeTimes: readonly string[] = [
  '2026-01-01T00:00:00.000Z',
  '2026-01-01',
  '20260101T120000Z',
  '2026-01-01T00:00:00+02:00',
  '2026-01-01T00:00:00,5Z',
  '0001-01-01T00:00:00Z',
  '0000-12-31T23:59:59Z',
  '9999-12-31T23:59:59.999Z',
  '9999-12-31T23:59:59.999-14:00',
  '0001-01-01T00:00:00+14:00',
  '+10000-01-01',
  '-0001-01-01',
  '2026-02-29',
  '2024-02-29',
  '2026-13-01',
  '2026-01-01T24:00:00Z',
  '2026-01-01T23:59:60Z',
  '1969-12-31T23:59:59.999Z',
  'P1D',
  'PT15M',
  'PT0S',
  'P',
  'PT',
  'P0Y',
  'P1Y2M3W4DT5H6M7.5S',
  'P999999999Y',
  'P9999Y',
  'PT99999999999999999999S',
  'PT0.0000000001S',
  '-P1D',
  '1767225600000',
]

export const edgeGranularities: readonly string[] = [
  ...'all none second minute five_minute hour six_hour day week month quarter year ALL Day'.split(' '),
  ...'PT5M P1D P1M P7D PT0S P0D P999999999Y PT0.001S P1Y1D PT36H constructor __proto__'.split(' '),
]

export const edgeNumbers: readonly Raw[] =
  `0 -0 1 -1 2 10 100 1000 1.5 -1.5 1e-7 5e-324 1e308 1e309 -1e309 1E400 127 128 255 256 65535 65536 2147483647 2147483648 -2147483648
   -2147483649 4294967295 4294967296 9007199254740991 9007199254740992 9007199254740993 9223372036854775807 9223372036854775808
   -9223372036854775808 -9223372036854775809 18446744073709551616 123456789012345678901234567890 0.1 0.30000000000000004 253402300799999
   253402300800000 -62135596800000 -62135596800001 8640000000000000 8640000000000001`
    .split(/\s+/)
    .map((text) => new Raw(text))

const deep = (depth: number, open: string, close: string): Raw => new Raw(open.repeat(depth) + close.repeat(depth))

const oddValues: readonly unknown[] = [
  null,
  true,
  false,
  [],
  {},
  [[]],
  [null],
  [{}],
  deep(50, '[', ']'),
  deep(5000, '[', ']'),
  new Raw(`${'{"a":'.repeat(3000)}1${'}'.repeat(3000)}`),
  new Raw('{"a":1,"a":2}'),
  new Raw('{"__proto__":{"x":1}}'),
  new Raw('"\\ud800"'),
  new Raw('"\\u0000"'),
  new Raw(`[${'0,'.repeat(3000)}0]`),
]

export function edgeText(random: Random): string {
  if (chance(random, 20)) return pick(random, edgeTimes)
  if (chance(random, 10)) return pick(random, edgeTexts) + pick(random, edgeTexts)
  return pick(random, edgeTexts)
}

/** Any JSON value. */
export function edgeValue(random: Random): unknown {
  const kind = random.below(10)
  if (kind < 4) return edgeText(random)
  if (kind < 7) return pick(random, edgeNumbers)
  return pick(random, oddValues)
}

/** Like `JSON.stringify`, with `Raw` written unchanged. */
export function jsonText(value: unknown): string {
  if (value instanceof Raw) return value.text
  if (Array.isArray(value)) return `[${value.map(jsonText).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  return `{${Object.entries(value)
    .map(([name, member]) => `${JSON.stringify(name)}:${jsonText(member)}`)
    .join(',')}}`
}
