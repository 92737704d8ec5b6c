import { createHmac, timingSafeEqual } from 'node:crypto'

/** As long as ids of live rows end with: 96 bits. */
export const signatureCharacters = 16

/** What says that a service of this secret gave the place in an id, for this entity. */
export function signatureOf(secret: Uint8Array, entityId: number, place: string): string {
  return createHmac('sha256', secret).update(`${entityId} ${place}`).digest('base64url').slice(0, signatureCharacters)
}

/** Whether it is the signature, of `signatureCharacters`; it takes as long for a wrong one. */
export function isSigned(signature: string, secret: Uint8Array, entityId: number, place: string): boolean {
  return timingSafeEqual(Buffer.from(signature), Buffer.from(signatureOf(secret, entityId, place)))
}
