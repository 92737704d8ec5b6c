// Unsigned 64-bit integers as numbers: exact below 2^53, without the BigInt that Buffer's own methods allocate.

const high = 2 ** 32

/** Writes an integer from 0 to 2^53 - 1, little-endian. */
export function writeUint64(bytes: Buffer, value: number, offset: number): void {
  bytes.writeUInt32LE(value % high, offset)
  bytes.writeUInt32LE(Math.floor(value / high), offset + 4)
}

/** Reads a little-endian integer; one of 2^53 or more is rounded. */
export function readUint64(bytes: Buffer, offset: number): number {
  return bytes.readUInt32LE(offset + 4) * high + bytes.readUInt32LE(offset)
}
