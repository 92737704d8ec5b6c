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

/** Ways to show a key that some paths take besides `Bearer`: tools that speak to them know no other. */
export type KeyScheme = 'basic' | 'token'

/** What a request shows to say who is asking: the values of its `Authorization` and `X-API-Key` headers. */
export interface Credential {
  readonly authorization?: string | undefined
  readonly apiKey?: string | undefined
  /** What its path takes besides `Bearer`; nothing where it is left out. */
  readonly schemes?: readonly KeyScheme[] | undefined
}

const bearer = /^Bearer +(\S+) *$/i

const schemeReaders: Readonly<Record<KeyScheme, (authorization: string) => string | null>> = {
  basic: passwordIn,
  token: tokenIn,
}

/** The key in a credential; null where there is none, where it is of another scheme, and where the two headers differ. */
export function keyIn({ authorization, apiKey, schemes = [] }: Credential): string | null {
  if (authorization === undefined) return apiKey ?? null
  const readers = schemes.map((scheme) => schemeReaders[scheme])
  const key = readers.reduce<string | null>(
    (found, read) => found ?? read(authorization),
    bearer.exec(authorization)?.[1] ?? null,
  )
  return apiKey === undefined || apiKey === key ? key : null
}

const token = /^Token +(\S+) *$/i

/** As clients of InfluxDB show it: a token, or a user and a password with a colon between. */
function tokenIn(authorization: string): string | null {
  const text = token.exec(authorization)?.[1]
  return text === undefined ? null : text.slice(text.lastIndexOf(':') + 1)
}

const basic = /^Basic +([A-Za-z0-9+/_-]+=*) *$/i

/** The password of Basic authentication (RFC 7617), whoever the user is said to be. */
function passwordIn(authorization: string): string | null {
  const pair = Buffer.from(basic.exec(authorization)?.[1] ?? '', 'base64').toString('utf8')
  const password = pair.slice(pair.indexOf(':') + 1)
  return pair.includes(':') && password !== '' ? password : null
}
