// API keys: docs/formats/keys.md.
import { hash, randomBytes as randomBytesOfSystem } from 'node:crypto'

const prefix = 'tm_'
const randomKeyBytes = 24

export interface NewKey {
  /** Shown to its holder once and never stored. */
  readonly key: string
  readonly hash: string
}

export function newKey(randomBytes: (count: number) => Uint8Array = randomBytesOfSystem): NewKey {
  const key = prefix + Buffer.from(randomBytes(randomKeyBytes)).toString('base64url')
  return { key, hash: hashKey(key) }
}

/** SHA-256 in hexadecimal. A key is long and random and cannot be guessed, so a slow hash would protect nothing. */
export function hashKey(key: string): string {
  return hash('sha256', key, 'hex')
}

/** Authentication schemes that some paths accept in addition to `Bearer`, for tools that support no other. */
export type KeyScheme = 'basic' | 'token'

/** The credentials of a request: the values of its `Authorization` and `X-API-Key` headers. */
export interface Credential {
  readonly authorization?: string | undefined
  readonly apiKey?: string | undefined
  /** Schemes that the path accepts in addition to `Bearer`; none if absent. */
  readonly schemes?: readonly KeyScheme[] | undefined
}

const bearer = /^Bearer +(\S+) *$/i

const schemeReaders: Readonly<Record<KeyScheme, (authorization: string) => string | null>> = {
  basic: passwordIn,
  token: tokenIn,
}

/** The key in a credential; null when there is none, when its scheme is not accepted, or when the two headers differ. */
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

/** As sent by clients of InfluxDB: a token, or user and password separated by a colon. */
function tokenIn(authorization: string): string | null {
  const text = token.exec(authorization)?.[1]
  return text === undefined ? null : text.slice(text.lastIndexOf(':') + 1)
}

const basic = /^Basic +([A-Za-z0-9+/_-]+=*) *$/i

/** The password of Basic authentication (RFC 7617); the user name is ignored. */
function passwordIn(authorization: string): string | null {
  const pair = Buffer.from(basic.exec(authorization)?.[1] ?? '', 'base64').toString('utf8')
  const password = pair.slice(pair.indexOf(':') + 1)
  return pair.includes(':') && password !== '' ? password : null
}
