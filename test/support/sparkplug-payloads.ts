// Sparkplug B payloads as a node encodes them, with the field numbers of `sparkplug_b.proto`. The service decodes them with its own description.
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire'

export interface WrittenMetric {
  readonly name?: string
  readonly alias?: number
  readonly timestamp?: number
  readonly datatype?: number
  readonly isHistorical?: boolean
  readonly isTransient?: boolean
  readonly isNull?: boolean
  /** The fields of the value, as in the protobuf message. */
  readonly int?: number
  readonly long?: bigint | number
  readonly float?: number
  readonly double?: number
  readonly boolean?: boolean
  readonly string?: string
  readonly bytes?: Uint8Array
  readonly dataset?: Uint8Array
  readonly template?: Uint8Array
  /** Integers by name; null for a property that is null. A bigint is written as the type Int64. */
  readonly properties?: Readonly<Record<string, number | bigint | null>>
}

/** The two's complement of a negative number as an unsigned one, as Java writes it. */
const unsigned = (value: bigint | number): bigint => BigInt.asUintN(64, BigInt(value))

/** A property set: its keys, then its values. */
function writeProperties(writer: BinaryWriter, properties: NonNullable<WrittenMetric['properties']>): BinaryWriter {
  writer.fork()
  for (const key of Object.keys(properties)) writer.tag(1, WireType.LengthDelimited).string(key)
  for (const value of Object.values(properties)) {
    writer.tag(2, WireType.LengthDelimited).fork()
    writer.tag(1, WireType.Varint).uint32(typeof value === 'bigint' ? 4 : 3)
    if (value === null) writer.tag(2, WireType.Varint).bool(true)
    else if (typeof value === 'bigint') writer.tag(4, WireType.Varint).uint64(unsigned(value))
    else writer.tag(3, WireType.Varint).uint32(value >>> 0)
    writer.join()
  }
  return writer.join()
}

type Write = (writer: BinaryWriter, value: never) => unknown

const fields: readonly (readonly [name: keyof WrittenMetric, number: number, wireType: WireType, write: Write])[] = [
  ['name', 1, WireType.LengthDelimited, (writer, value: string) => writer.string(value)],
  ['alias', 2, WireType.Varint, (writer, value: number) => writer.uint64(value)],
  ['timestamp', 3, WireType.Varint, (writer, value: number) => writer.uint64(unsigned(value))],
  ['datatype', 4, WireType.Varint, (writer, value: number) => writer.uint32(value)],
  ['isHistorical', 5, WireType.Varint, (writer, value: boolean) => writer.bool(value)],
  ['isTransient', 6, WireType.Varint, (writer, value: boolean) => writer.bool(value)],
  ['isNull', 7, WireType.Varint, (writer, value: boolean) => writer.bool(value)],
  ['properties', 9, WireType.LengthDelimited, writeProperties],
  ['int', 10, WireType.Varint, (writer, value: number) => writer.int32(value)],
  ['long', 11, WireType.Varint, (writer, value: bigint | number) => writer.uint64(unsigned(value))],
  ['float', 12, WireType.Bit32, (writer, value: number) => writer.float(value)],
  ['double', 13, WireType.Bit64, (writer, value: number) => writer.double(value)],
  ['boolean', 14, WireType.Varint, (writer, value: boolean) => writer.bool(value)],
  ['string', 15, WireType.LengthDelimited, (writer, value: string) => writer.string(value)],
  ['bytes', 16, WireType.LengthDelimited, (writer, value: Uint8Array) => writer.bytes(value)],
  ['dataset', 17, WireType.LengthDelimited, (writer, value: Uint8Array) => writer.bytes(value)],
  ['template', 18, WireType.LengthDelimited, (writer, value: Uint8Array) => writer.bytes(value)],
]

export interface WrittenPayload {
  readonly timestamp?: number
  readonly seq?: number
  readonly metrics?: readonly WrittenMetric[]
}

export function sparkplugPayload({ timestamp, seq, metrics = [] }: WrittenPayload): Uint8Array {
  const writer = new BinaryWriter()
  if (timestamp !== undefined) writer.tag(1, WireType.Varint).uint64(unsigned(timestamp))
  for (const metric of metrics) {
    writer.tag(2, WireType.LengthDelimited).fork()
    for (const [name, number, wireType, write] of fields) {
      const value = metric[name]
      if (value !== undefined) write(writer.tag(number, wireType), value as never)
    }
    writer.join()
  }
  if (seq !== undefined) writer.tag(3, WireType.Varint).uint64(seq)
  return writer.finish()
}
