import { SpareBuffers } from '../../src/lib/spare-buffers.ts'

/** Returns used memory for requests of any size: code that expects zeros, or gives memory back too early, computes nonsense. */
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
