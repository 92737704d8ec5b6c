// The rows of a frame, each a message `Row`. They are written by hand, since there are thousands in a frame, with millions of values in an answer.
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import type { Cell, Frame, Rep } from '../avatica-protocol.ts'
import { repNumbers } from './reps.ts'

/** The fields of `Row`, `ColumnValue` and `TypedValue` that are written. `value` of `ColumnValue`, for clients from before 2016, is not. */
const rowValue = 1
const columnScalar = 4
const typed = { rep: 1, bool: 2, string: 3, number: 4, double: 6, null: 7 } as const

const nullRep = repNumbers.get('NULL')!

export function rowMessages({ rows, reps }: Frame): Uint8Array[] {
  const numbers = reps.map((rep) => repNumbers.get(rep)!)
  return rows.map((row) => {
    const writer = new BinaryWriter()
    for (let index = 0; index < reps.length; index++)
      writeCell(writer, row[index] ?? null, reps[index]!, numbers[index]!)
    return writer.finish()
  })
}

function writeCell(writer: BinaryWriter, value: Cell, rep: Rep, number: number): void {
  writer.tag(rowValue, WireType.LengthDelimited).fork()
  writer.tag(columnScalar, WireType.LengthDelimited).fork()
  writeTypedValue(writer, value, rep, number)
  writer.join().join()
}

function writeTypedValue(writer: BinaryWriter, value: Cell, rep: Rep, number: number): void {
  if (value === null) {
    writer.tag(typed.rep, WireType.Varint).uint32(nullRep)
    writer.tag(typed.null, WireType.Varint).bool(true)
    return
  }
  writer.tag(typed.rep, WireType.Varint).uint32(number)
  switch (rep) {
    case 'STRING':
      writer.tag(typed.string, WireType.LengthDelimited).string(String(value))
      return
    case 'DOUBLE':
      writer.tag(typed.double, WireType.Bit64).double(Number(value))
      return
    case 'BOOLEAN':
      writer.tag(typed.bool, WireType.Varint).bool(value === true)
      return
    default:
      writer.tag(typed.number, WireType.Varint).sint64(typeof value === 'bigint' ? value : Number(value))
  }
}
