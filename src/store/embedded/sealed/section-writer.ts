import type { GrowableFloat64, GrowableInt32 } from '../head/growable.ts'

type NumberArray = Float64Array | Int32Array | Uint32Array | BigInt64Array | Uint8Array

/** The bytes of several arrays, one behind the other. */
export function joinArrays(arrays: readonly NumberArray[]): Uint8Array {
  const bytes = new Uint8Array(arrays.reduce((sum, { byteLength }) => sum + byteLength, 0))
  let offset = 0
  for (const array of arrays) {
    bytes.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), offset)
    offset += array.byteLength
  }
  return bytes
}

export function used(growable: GrowableFloat64): Float64Array
export function used(growable: GrowableInt32): Int32Array
export function used({ values, length }: GrowableFloat64 | GrowableInt32): Float64Array | Int32Array {
  return values.subarray(0, length)
}
