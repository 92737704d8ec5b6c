import { formatInstant } from '../model/instant.ts'
import { Problem } from '../model/problem.ts'
import type { Right } from '../model/right.ts'
import { type Credential, keyIn } from './keys.ts'

/** The sender of a request, identified by its key. */
export interface Caller {
  readonly keyId: string
  readonly subscriberId: number
  readonly subscriber: string
  readonly rights: ReadonlySet<Right>
}

/** The sender of a request without a valid key. */
export interface Unauthenticated {
  /** What is wrong with the credential, and what to do. It reveals nothing about a key except to its holder. */
  readonly refusal: string
  /** Whether the request had a key that does not exist. */
  readonly isWrongKey?: boolean
}

export type Requester = Caller | Unauthenticated

/** A key is needed, and the request has no valid one. */
export class NoKey extends Problem {
  constructor(refusal: string) {
    super('forbidden', refusal)
  }
}

/** The request has a key that does not exist; its sender may be trying keys. */
export class WrongKey extends NoKey {}

const how = 'Send one as "Authorization: Bearer <key>" or "X-API-Key: <key>"'

const otherWays = {
  basic: 'as the password of Basic authentication, with any user',
  token: 'as "Authorization: Token <key>"',
} as const

/** The API key is not stored: it never existed or was revoked. The service does not know which. */
export const unknownKey: Unauthenticated = {
  refusal:
    'The API key is unknown: it was mistyped or cut off, or it has been revoked. Compare it with the original, or ask the operator for another.',
  isWrongKey: true,
}

export function expiredKey(expiredMs: number): Unauthenticated {
  return { refusal: `The API key expired on ${formatInstant(expiredMs)}. Ask the operator for another.` }
}

/** For a request without exactly one key. */
export function withoutKey({ authorization, schemes = [] }: Credential): Unauthenticated {
  const ways = [how, ...schemes.map((scheme) => otherWays[scheme])].join(', or ')
  if (authorization === undefined)
    return { refusal: `This request needs an API key. ${ways}. The operator creates keys.` }
  return keyIn({ authorization, schemes }) === null
    ? { refusal: `The Authorization header has no key. ${ways}.` }
    : { refusal: `The request has two different credentials. ${ways}, and leave the other out.` }
}

export function isCaller(asker: Requester): asker is Caller {
  return 'keyId' in asker
}

/** Throws Problem `forbidden` unless the asker has a valid key: `WrongKey` if its key does not exist, otherwise `NoKey`. */
export function requireCaller(asker: Requester): Caller {
  if (isCaller(asker)) return asker
  if (asker.isWrongKey === true) throw new WrongKey(asker.refusal)
  throw new NoKey(asker.refusal)
}
