// The ids of live rows: a position of an entity, which this data folder gave. docs/formats/live.md
import { type LivePlace, livePlaceOf } from './live-place.ts'
import { isSigned, signatureCharacters, signatureOf } from './signature.ts'

/** Ids are of the run of the service that gave them, so that a folder that was put back to an earlier state knows which of them are still its own. */
export interface LiveEpoch {
  readonly name: string
  /** In hexadecimal; ids are signed with it. */
  readonly secret: string
  /** How far the journal came when another run began: all that it has before that this epoch has too. Null of the last one. */
  readonly endPosition: number | null
  /** The last change of deletions at that time. */
  readonly endChange: number | null
}

const number = '(?:0|[1-9]\\d{0,15})'
const pattern = new RegExp(`^([0-9a-f]{16})-(${number}\\.${number})-([\\w-]{${signatureCharacters}})$`)

export function encodeLiveId({ name, secret }: LiveEpoch, entityId: number, place: string): string {
  return `${name}-${place}-${signatureOf(Buffer.from(secret, 'hex'), entityId, place)}`
}

/** The place in an id of the entity; null of one that is unknown, or reaches further than what its epoch shares with this folder. */
export function decodeLiveId(epochs: readonly LiveEpoch[], entityId: number, id: string): LivePlace | null {
  const [, name, text, signature] = pattern.exec(id) ?? []
  const epoch = epochs.find((one) => one.name === name)
  if (epoch === undefined || text === undefined || signature === undefined) return null
  if (!isSigned(signature, Buffer.from(epoch.secret, 'hex'), entityId, text)) return null
  const place = livePlaceOf(text)
  const { endPosition, endChange } = epoch
  const isShared = place.position <= (endPosition ?? Number.POSITIVE_INFINITY)
  return isShared && place.change <= (endChange ?? Number.POSITIVE_INFINITY) ? place : null
}
