// The values that random rows are drawn from, and the rows as pushed: JSON in any accepted spelling.
import type { Value } from '../../src/model/column.ts'
import type { Field } from '../../src/model/field.ts'
import { dateText, randomMs, type Times } from '../support/random-queries.ts'
import type { Draw, ValuePools } from '../support/random-rows.ts'

const texts = ['', 'a', 'ab', 'a%', 'b_', 'é', '\uffff', '\u{1f600}', 'a"\\\n,', 'a\u0000']
const longs = [0, -1, 7, 9007199254740993n, -9223372036854775808n, 9223372036854775807n]
const doubles = [0, 1.5, -2.25, 1e300, -1e300, 1.7e308, -1.7e308, 5e-324, 0.1]

/** The pools for the values of pushed rows. */
export function pools(draw: Draw, times: Times): ValuePools {
  return { instantMs: () => randomMs(draw, times), longs, doubles, texts }
}

/** Dates in any form; properties without a value are absent. */
export function pushedRow(draw: Draw, fields: readonly Field[], values: Readonly<Record<string, Value>>): string {
  const members = fields.map(({ name, source, type }) => {
    const value = values[name] ?? null
    const isDate = type === 'timestamp' && value !== null
    return `${JSON.stringify(source)}:${isDate ? pushedDate(draw, Number(value)) : jsonOf(value)}`
  })
  return `{${members.join(',')}}`
}

function pushedDate(draw: Draw, ms: number): string {
  return draw(5) === 0 ? String(ms) : JSON.stringify(dateText(draw, ms))
}

export function jsonOf(value: Value): string {
  return typeof value === 'bigint' ? String(value) : JSON.stringify(value)
}
