import { createHmac, timingSafeEqual } from 'node:crypto'

/** Where the rows of one push stand, and who may ask about them. */
export interface BatchKey {
  readonly position: number
  readonly rows: number
  readonly ingestId: number
  readonly subscriberId: number
}

const keyBytes = 20
const signatureBytes = 12

/**
 * Names batches so that the name itself says where the rows are: a receipt of a batch that was stored whole needs no record.
 * The name is signed, so that nobody asks about a batch that was never given. Layout: docs/formats/batch-id.md.
 */
export class BatchIds {
  readonly #secret: Uint8Array

  constructor(secret: Uint8Array) {
    this.#secret = secret
  }

  encode(key: BatchKey): string {
    const bytes = Buffer.allocUnsafe(keyBytes + signatureBytes)
    bytes.writeBigUInt64BE(BigInt(key.position), 0)
    bytes.writeUInt32BE(key.rows, 8)
    bytes.writeUInt32BE(key.ingestId, 12)
    bytes.writeUInt32BE(key.subscriberId, 16)
    this.#sign(bytes.subarray(0, keyBytes)).copy(bytes, keyBytes)
    return bytes.toString('base64url')
  }

  /** Null when the text is no batch id of this service. */
  decode(text: string): BatchKey | null {
    const bytes = Buffer.from(text, 'base64url')
    // Other spellings of the same bytes (padding, stray characters) are no ids.
    if (bytes.length !== keyBytes + signatureBytes || bytes.toString('base64url') !== text) return null
    if (!timingSafeEqual(this.#sign(bytes.subarray(0, keyBytes)), bytes.subarray(keyBytes))) return null
    return {
      position: Number(bytes.readBigUInt64BE(0)),
      rows: bytes.readUInt32BE(8),
      ingestId: bytes.readUInt32BE(12),
      subscriberId: bytes.readUInt32BE(16),
    }
  }

  #sign(bytes: Uint8Array): Buffer {
    return createHmac('sha256', this.#secret).update(bytes).digest().subarray(0, signatureBytes)
  }
}
