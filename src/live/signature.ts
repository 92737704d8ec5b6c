import { createHmac, timingSafeEqual } from 'node:crypto'

/** Length of the signature at the end of a live id: 96 bits in base64url. */
export const signatureCharacters = 16

/** Proves that a service with this secret issued the place in an id, for this entity. */
export function signatureOf(secret: Uint8Array, entityId: number, place: string): string {
  return createHmac('sha256', secret).update(`${entityId} ${place}`).digest('base64url').slice(0, signatureCharacters)
}

/** Whether a signature of `signatureCharacters` is valid. Takes constant time. */
export function isSigned(signature: string, secret: Uint8Array, entityId: number, place: string): boolean {
  return timingSafeEqual(Buffer.from(signature), Buffer.from(signatureOf(secret, entityId, place)))
}
