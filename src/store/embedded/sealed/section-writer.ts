import type { GrowableFloat64, GrowableInt32 } from '../head/growable.ts'
import { ByteWriter } from '../parquet/byte-writer.ts'
import { type NumberArray, packArray } from './packed-array.ts'

/** Packs several arrays, one after another; bytes are appended as they are. */
export function joinArrays(arrays: readonly (NumberArray | Uint8Array)[]): Uint8Array {
  const out = new ByteWriter()
  for (const array of arrays) {
    if (array instanceof Uint8Array) out.append(array)
    else packArray(array, out)
  }
  return out.written()
}

export function used(growable: GrowableFloat64): Float64Array
export function used(growable: GrowableInt32): Int32Array
export function used({ values, length }: GrowableFloat64 | GrowableInt32): Float64Array | Int32Array {
  return values.subarray(0, length)
}
