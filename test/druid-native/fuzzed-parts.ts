// The parts of native queries that are drawn from lists, and their JSON.

/** A number with all its digits. */
export class Digits {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

export type Part = string | number | boolean | null | Digits | readonly Part[] | { readonly [name: string]: Part }

const isNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/

/** As JSON; digits that are not a JSON number are written as a text. */
export function written(part: Part): string {
  if (part instanceof Digits) return isNumber.test(part.text) ? part.text : JSON.stringify(part.text)
  if (Array.isArray(part)) return `[${part.map(written).join(',')}]`
  if (part === null || typeof part !== 'object') return JSON.stringify(part)
  return `{${Object.entries(part as Readonly<Record<string, Part>>)
    .map(([name, value]) => `${JSON.stringify(name)}:${written(value)}`)
    .join(',')}}`
}

export const orderings: readonly string[] = ['lexicographic', 'alphanumeric', 'numeric', 'strlen', 'natural', 'version']

export const outputTypes: readonly string[] = [
  ...['STRING', 'LONG', 'DOUBLE', 'FLOAT', 'ARRAY<STRING>', 'ARRAY<LONG>', 'ARRAY<DOUBLE>', 'COMPLEX<json>', 'x'],
]

const period = (text: string, more: Readonly<Record<string, Part>> = {}): Part => ({
  type: 'period',
  period: text,
  ...more,
})

export const granularities: readonly Part[] = [
  ...[
    'all',
    'all',
    'all',
    'none',
    'day',
    'HOUR',
    'week',
    'month',
    'quarter',
    'year',
    'fifteen_minute',
    'x',
    'constructor',
  ],
  { type: 'all' },
  { type: 'duration', duration: 3_600_000 },
  { type: 'duration', duration: 7, origin: '2020-01-01' },
  { type: 'duration', duration: new Digits('9223372036854775807') },
  { type: 'duration', duration: 0 },
  period('P1D', { timeZone: 'America/St_Johns' }),
  period('P1M1D'),
  period('PT7H', { origin: '1969-07-01T01:00:00Z' }),
  period('P3M', { timeZone: 'Pacific/Apia', origin: '2011-12-30' }),
  period('P9999Y'),
  period('P999999999Y'),
  period('PT0S'),
  period('P1Y', { origin: '9999-12-31' }),
  period('P1D', { timeZone: 'x' }),
]

/** The test's rows are on six days between the years 1 and 9999. */
export const intervals: readonly Part[] = [
  ...[
    '2020-01-01/2027-01-01',
    '0001-01-01/9999-12-31',
    '2026-01-01/P1D',
    '2026-01-01T00:00:00.000Z/2026-01-01T00:00:00.001Z',
  ],
  ['2020/2030', '1969-12-31/1970-01-02'],
  ['2026-01-01/2026-01-01'],
  [],
  '2030/2020',
  'x',
  '-146136543-09-08T08:23:32.096Z/146140482-04-24T15:36:27.903Z',
  { type: 'intervals', intervals: ['0000-01-01/10000-01-01'] },
  '2020/P999999999Y',
]
