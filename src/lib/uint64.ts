// Unsigned 64-bit integers as numbers: exact below 2^53, and without the BigInt that Buffer's own methods make.

const high = 2 ** 32

/** Writes a whole number of 0 to 2^53 - 1, little-endian. */
export function writeUint64(bytes: Buffer, value: number, offset: number): void {
  bytes.writeUInt32LE(value % high, offset)
  bytes.writeUInt32LE(Math.floor(value / high), offset + 4)
}

/** Reads a little-endian number; one of 2^53 or more comes back rounded. */
export function readUint64(bytes: Buffer, offset: number): number {
  return bytes.readUInt32LE(offset + 4) * high + bytes.readUInt32LE(offset)
}
