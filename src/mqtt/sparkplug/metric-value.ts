import type { Metric } from './sparkplug-payload.ts'

type Read = (value: NonNullable<Metric['value']>) => ScalarValue | null

/** What a row may hold; null is nothing known. */
export type ScalarValue = string | number | bigint | boolean | null

/** A whole number of so many bits, from bits without a sign. Some writers fill up to 32 or 64 with the sign, some do not. */
function signed(bits: number): Read {
  const half = 1n << BigInt(bits - 1)
  return (value) => {
    if (typeof value !== 'bigint') return null
    for (const width of [bits, 32, 64]) {
      const number = BigInt.asIntN(width, value)
      if (value < 1n << BigInt(width) && number >= -half && number < half) return number
    }
    return null
  }
}

function unsigned(bits: number): Read {
  return (value) => (typeof value === 'bigint' && value < 1n << BigInt(bits) ? value : null)
}

const asNumber: Read = (value) => (typeof value === 'number' && Number.isFinite(value) ? value : null)
const asText: Read = (value) => (typeof value === 'string' ? value : null)

/** Some writers have truth values as 0 and 1. */
const asTruth: Read = (value) => {
  if (typeof value === 'boolean') return value
  return value === 0n || value === 1n ? value === 1n : null
}

interface Datatype {
  readonly name: string
  /** Absent where no row has such a value. */
  readonly read?: Read
}

/** By the numbers of the specification. */
const datatypes: ReadonlyMap<number, Datatype> = new Map(
  (
    [
      ['Int8', signed(8)],
      ['Int16', signed(16)],
      ['Int32', signed(32)],
      ['Int64', signed(64)],
      ['UInt8', unsigned(8)],
      ['UInt16', unsigned(16)],
      ['UInt32', unsigned(32)],
      ['UInt64', unsigned(64)],
      ['Float', asNumber],
      ['Double', asNumber],
      ['Boolean', asTruth],
      ['String', asText],
      // Milliseconds since 1970. Java writes an earlier one with the sign that its bits have.
      ['DateTime', signed(64)],
      ['Text', asText],
      ['UUID', asText],
      ['DataSet'],
      ['Bytes'],
      ['File'],
      ['Template'],
      ['PropertySet'],
      ['PropertySetList'],
      ['Int8Array'],
      ['Int16Array'],
      ['Int32Array'],
      ['Int64Array'],
      ['UInt8Array'],
      ['UInt16Array'],
      ['UInt32Array'],
      ['UInt64Array'],
      ['FloatArray'],
      ['DoubleArray'],
      ['BooleanArray'],
      ['StringArray'],
      ['DateTimeArray'],
    ] as const
  ).map(([name, read], index) => [index + 1, read === undefined ? { name } : { name, read }]),
)

const textTypes = new Set(['String', 'Text', 'UUID'])

/** What a metric is, also where its value is null. */
export function kindOf(value: ScalarValue, datatype: number | undefined): 'number' | 'text' | 'truth' {
  const name = datatype === undefined ? undefined : datatypes.get(datatype)?.name
  if (typeof value === 'string' || (value === null && name !== undefined && textTypes.has(name))) return 'text'
  return typeof value === 'boolean' || (value === null && name === 'Boolean') ? 'truth' : 'number'
}

/** Whether a value cannot be read without its type: the wire has whole numbers without their sign. */
export function needsDatatype({ value, datatype, isNull }: Metric): boolean {
  return datatype === undefined && !isNull && typeof value === 'bigint'
}

/** The value of a metric, or why no row can have it. */
export function metricValue(
  { value, isNull }: Metric,
  datatype: number | undefined,
): { value: ScalarValue } | { why: string } {
  if (isNull) return { value: null }
  const type = datatype === undefined ? undefined : datatypes.get(datatype)
  if (type !== undefined && type.read === undefined) return { why: `is of the type ${type.name}` }
  if (value === undefined) return { why: 'has no value, and does not say that it is null' }
  if (typeof value === 'number' && !Number.isFinite(value)) return { why: `is ${value}` }
  if (datatype === undefined) return typeof value === 'bigint' ? { why: 'has no data type' } : { value }
  if (type?.read === undefined) return { why: `has the unknown data type ${datatype}` }
  const read = type.read(value)
  return read === null ? { why: `is ${value}, which is no ${type.name}` } : { value: read }
}
