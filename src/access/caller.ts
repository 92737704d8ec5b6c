import { formatInstant } from '../model/instant.ts'
import { Problem } from '../model/problem.ts'
import type { Right } from '../model/right.ts'
import { type Credential, keyIn } from './keys.ts'

/** Who is asking, as their key says. */
export interface Caller {
  readonly keyId: string
  readonly subscriberId: number
  readonly subscriber: string
  readonly rights: ReadonlySet<Right>
}

/** One who shows no key that is valid now. */
export interface Stranger {
  /** What is wrong with what was shown, and what to do. Only the holder of a key learns anything about it. */
  readonly refusal: string
  /** Whether a key was shown that nobody has. */
  readonly isWrongKey?: boolean
}

export type Asker = Caller | Stranger

/** A key is needed, and none that is valid was shown. */
export class NoKey extends Problem {
  constructor(refusal: string) {
    super('forbidden', refusal)
  }
}

/** Somebody showed a key that nobody has: he may be trying keys. */
export class WrongKey extends NoKey {}

const how = 'Send one as "Authorization: Bearer <key>" or "X-API-Key: <key>"'

const otherWays = {
  basic: 'as the password of Basic authentication, with any user',
  token: 'as "Authorization: Token <key>"',
} as const

/** The API key is none that is kept: it never was one, or was revoked. Which of the two is not kept either. */
export const unknownKey: Stranger = {
  refusal:
    'The API key is unknown: it was mistyped or cut off, or it has been revoked. Compare it with the original, or ask the operator for another.',
  isWrongKey: true,
}

export function expiredKey(expiredMs: number): Stranger {
  return { refusal: `The API key expired on ${formatInstant(expiredMs)}. Ask the operator for another.` }
}

/** Of a request that shows no single key. */
export function withoutKey({ authorization, schemes = [] }: Credential): Stranger {
  const ways = [how, ...schemes.map((scheme) => otherWays[scheme])].join(', or ')
  if (authorization === undefined)
    return { refusal: `This request needs an API key. ${ways}. The operator makes keys.` }
  return keyIn({ authorization, schemes }) === null
    ? { refusal: `The Authorization header has no key. ${ways}.` }
    : { refusal: `The request has two different credentials. ${ways}, and leave the other out.` }
}

export function isCaller(asker: Asker): asker is Caller {
  return 'keyId' in asker
}

/** Throws Problem `forbidden` unless the asker showed a valid key; a `WrongKey` where nobody has the one that he showed. */
export function requireCaller(asker: Asker): Caller {
  if (isCaller(asker)) return asker
  if (asker.isWrongKey === true) throw new WrongKey(asker.refusal)
  throw new NoKey(asker.refusal)
}
