// API keys: docs/formats/keys.md.
import { hash, randomBytes as randomBytesOfSystem } from 'node:crypto'

const prefix = 'tm_'
const randomKeyBytes = 24

export interface NewKey {
  /** Shown to its holder once and kept nowhere. */
  readonly key: string
  readonly hash: string
}

export function newKey(randomBytes: (count: number) => Uint8Array = randomBytesOfSystem): NewKey {
  const key = prefix + Buffer.from(randomBytes(randomKeyBytes)).toString('base64url')
  return { key, hash: hashKey(key) }
}

/** SHA-256, in hexadecimal. A key is random and long, so there is nothing to guess that a slow hash would have to protect. */
export function hashKey(key: string): string {
  return hash('sha256', key, 'hex')
}

/** What a request shows to say who is asking: the values of its `Authorization` and `X-API-Key` headers. */
export interface Credential {
  readonly authorization?: string | undefined
  readonly apiKey?: string | undefined
}

const bearer = /^Bearer +(\S+) *$/i

/** The key in a credential; null where there is none, where it is of another scheme, and where the two headers differ. */
export function keyIn({ authorization, apiKey }: Credential): string | null {
  if (authorization === undefined) return apiKey ?? null
  const key = bearer.exec(authorization)?.[1] ?? null
  return apiKey === undefined || apiKey === key ? key : null
}
