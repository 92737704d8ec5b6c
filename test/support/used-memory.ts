import { SpareBuffers } from '../../src/lib/spare-buffers.ts'

/** However little is asked for is memory that was used before: who takes it for zeroes, or has given it back too early, comes to nonsense. */
export class UsedMemory extends SpareBuffers {
  constructor() {
    super({ bytesMin: 1, bytesMax: 1 << 24, idleMs: 1000 })
  }

  override take(bytes: number, bytesWanted?: number): ArrayBuffer {
    return spoilt(super.take(bytes, bytesWanted))
  }

  override give(buffer: ArrayBuffer): void {
    super.give(spoilt(buffer))
  }
}

function spoilt(buffer: ArrayBuffer): ArrayBuffer {
  new Uint8Array(buffer).fill(0x5a)
  return buffer
}
