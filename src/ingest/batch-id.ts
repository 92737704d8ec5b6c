import { hash, timingSafeEqual } from 'node:crypto'

/** The position of a push's rows, and the subscriber that may read their receipt. */
export interface BatchKey {
  readonly position: number
  readonly rows: number
  readonly ingestId: number
  readonly subscriberId: number
}

const keyBytes = 20
const signatureBytes = 12
/** Sizes of SHA-256. */
const blockBytes = 64
const hashBytes = 32

/**
 * Batch ids encode where the rows are, so the receipt of a batch that was stored whole needs no record. The id is signed, so that only ids
 * that were issued are accepted. Layout: docs/formats/batch-id.md.
 */
export class BatchIds {
  /** Input buffers of the inner and outer hash of HMAC: the padded secret, followed by space for the message. */
  readonly #inner: Buffer
  readonly #outer: Buffer

  constructor(secret: Uint8Array) {
    const key = secret.length > blockBytes ? hash('sha256', secret, 'buffer') : secret
    this.#inner = Buffer.alloc(blockBytes + keyBytes).fill(0x36, 0, blockBytes)
    this.#outer = Buffer.alloc(blockBytes + hashBytes).fill(0x5c, 0, blockBytes)
    for (const [index, byte] of key.entries()) {
      this.#inner[index]! ^= byte
      this.#outer[index]! ^= byte
    }
  }

  encode(key: BatchKey): string {
    const bytes = Buffer.allocUnsafe(keyBytes + signatureBytes)
    bytes.writeBigUInt64BE(BigInt(key.position), 0)
    bytes.writeUInt32BE(key.rows, 8)
    bytes.writeUInt32BE(key.ingestId, 12)
    bytes.writeUInt32BE(key.subscriberId, 16)
    bytes.write(this.#sign(bytes), keyBytes, signatureBytes, 'latin1')
    return bytes.toString('base64url')
  }

  /** Null if the text is not a batch id of this service. */
  decode(text: string): BatchKey | null {
    const bytes = Buffer.from(text, 'base64url')
    // Other encodings of the same bytes (padding, stray characters) are not ids.
    if (bytes.length !== keyBytes + signatureBytes || bytes.toString('base64url') !== text) return null
    const signature = Buffer.from(this.#sign(bytes), 'latin1').subarray(0, signatureBytes)
    if (!timingSafeEqual(signature, bytes.subarray(keyBytes))) return null
    return {
      position: Number(bytes.readBigUInt64BE(0)),
      rows: bytes.readUInt32BE(8),
      ingestId: bytes.readUInt32BE(12),
      subscriberId: bytes.readUInt32BE(16),
    }
  }

  /**
   * HMAC-SHA-256 (RFC 2104) of the first bytes, as one character per byte. It is implemented here because every push needs one: the object that
   * Node.js creates for an HMAC costs several times the two hashes.
   */
  #sign(bytes: Buffer): string {
    bytes.copy(this.#inner, blockBytes, 0, keyBytes)
    this.#outer.write(hash('sha256', this.#inner, 'binary'), blockBytes, 'latin1')
    return hash('sha256', this.#outer, 'binary')
  }
}
