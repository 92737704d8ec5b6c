import type { Metric } from './sparkplug-payload.ts'

type Read = (value: NonNullable<Metric['value']>) => ScalarValue | null

/** A value that a row may have; null means unknown. */
export type ScalarValue = string | number | bigint | boolean | null

/** An integer of this many bits, from unsigned bits. Some writers sign-extend it to 32 or 64 bits, some do not. */
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

/** Some writers encode booleans as 0 and 1. */
const asTruth: Read = (value) => {
  if (typeof value === 'boolean') return value
  return value === 0n || value === 1n ? value === 1n : null
}

interface Datatype {
  readonly name: string
  /** Absent for types that no row can have. */
  readonly read?: Read
}

/** By the numbers of the specification, which begin at 1. */
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
      // Milliseconds since 1970. Java writes earlier times as negative numbers in two's complement.
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

/** The kind of a metric, even if its value is null. */
export function kindOf(value: ScalarValue, datatype: number | undefined): 'number' | 'text' | 'truth' {
  const name = datatype === undefined ? undefined : datatypes.get(datatype)?.name
  if (typeof value === 'string' || (value === null && name !== undefined && textTypes.has(name))) return 'text'
  return typeof value === 'boolean' || (value === null && name === 'Boolean') ? 'truth' : 'number'
}

/** Whether a value cannot be read without its type: integers are encoded without a sign. */
export function needsDatatype({ value, datatype, isNull }: Metric): boolean {
  return datatype === undefined && !isNull && typeof value === 'bigint'
}

/** The value of a metric, or why it cannot be in a row. */
export function metricValue(
  { value, isNull }: Metric,
  datatype: number | undefined,
): { value: ScalarValue } | { why: string } {
  if (isNull) return { value: null }
  const type = datatype === undefined ? undefined : datatypes.get(datatype)
  if (type !== undefined && type.read === undefined) return { why: `is of the type ${type.name}` }
  if (value === undefined) return { why: 'has no value, and is not marked as null' }
  if (typeof value === 'number' && !Number.isFinite(value)) return { why: `is ${value}` }
  if (datatype === undefined) return typeof value === 'bigint' ? { why: 'has no data type' } : { value }
  if (type?.read === undefined) return { why: `has the unknown data type ${datatype}` }
  const read = type.read(value)
  return read === null ? { why: `is ${value}, which is not a valid ${type.name}` } : { value: read }
}
