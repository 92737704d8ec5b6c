// Tokens for the next page of a list: docs/formats/next-token.md.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { Problem } from './problem.ts'

const version = 1
const signatureBytes = 16
const headBytes = 1 + signatureBytes

/** The list that a token is valid for: its path and its filters, in a fixed order. */
export type TokenScope = readonly (string | number | null)[]

export class NextTokens {
  readonly #secret: Uint8Array

  constructor(secret: Uint8Array) {
    this.#secret = secret
  }

  /** The token for the page after the item with this key. */
  encode(scope: TokenScope, key: string): string {
    const signature = this.#sign(scope, key)
    return Buffer.concat([Uint8Array.of(version), signature, Buffer.from(key)]).toString('base64url')
  }

  /** The key in a token. Throws Problem `invalid_token` if the token was not issued here, or is for another list or filter. */
  decode(scope: TokenScope, token: string): string {
    const bytes = Buffer.from(token, 'base64url')
    const key = bytes.subarray(headBytes).toString()
    // Rejects other encodings of the same bytes (padding, stray characters).
    const isWhole = bytes.length >= headBytes && bytes[0] === version && bytes.toString('base64url') === token
    if (isWhole && timingSafeEqual(this.#sign(scope, key), bytes.subarray(1, headBytes))) return key
    throw new Problem(
      'invalid_token',
      'The NextToken does not belong to this list with these filters. Send the one from the last response unchanged, or none to start again.',
      { errors: [{ path: 'NextToken', message: 'is not valid here' }] },
    )
  }

  #sign(scope: TokenScope, key: string): Buffer {
    const text = JSON.stringify([version, scope, key])
    return createHmac('sha256', this.#secret).update(text).digest().subarray(0, signatureBytes)
  }
}
