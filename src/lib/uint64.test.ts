import { expect, test } from 'vitest'
import { readUint64, writeUint64 } from './uint64.ts'

test.each([0, 1, 2 ** 32 - 1, 2 ** 32, 2 ** 32 + 1, Number.MAX_SAFE_INTEGER])(
  '%i is written and read like in Buffer',
  (value) => {
    const bytes = Buffer.alloc(9, 0xee)
    writeUint64(bytes, value, 1)
    expect(bytes.readBigUInt64LE(1)).toBe(BigInt(value))
    expect(readUint64(bytes, 1)).toBe(value)
    expect(bytes[0]).toBe(0xee)
  },
)
