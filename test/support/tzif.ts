interface Reported {
  /** In seconds. The first offset applies before all transitions. */
  readonly offsets: readonly number[]
  readonly changes?: readonly (readonly [seconds: number, offset: number])[]
  readonly rule?: string
}

/** A file as zic writes it, with all its parts. */
export function tzif({ offsets, changes = [], rule = '' }: Reported): Uint8Array {
  const header = (counts: readonly number[]): Buffer => {
    const bytes = Buffer.alloc(44)
    bytes.write('TZif2')
    for (const [index, count] of counts.entries()) bytes.writeUInt32BE(count, 20 + index * 4)
    return bytes
  }
  // A 32-bit block with one transition, which must be ignored.
  const old = Buffer.concat([header([1, 1, 0, 1, 1, 4]), Buffer.alloc(4 + 1 + 6 + 4 + 1 + 1, 0x33)])
  const times = Buffer.alloc(changes.length * 8)
  for (const [index, [seconds]] of changes.entries()) times.writeBigInt64BE(BigInt(seconds), index * 8)
  const types = Buffer.from(changes.map(([, offset]) => offsets.indexOf(offset)))
  const reported = offsets.map((offset) => {
    const type = Buffer.alloc(6)
    type.writeInt32BE(offset)
    return type
  })
  const counts = header([0, 0, 0, changes.length, offsets.length, 4])
  return Buffer.concat([old, counts, times, types, ...reported, Buffer.from(`LMT\0\n${rule}\n`)])
}
