// Ids of live rows: a position in an entity's rows, signed by this data folder. docs/formats/live.md
import { type LivePlace, livePlaceOf } from './live-place.ts'
import { isSigned, signatureCharacters, signatureOf } from './signature.ts'

/** An id names the run of the service that issued it, so that a data folder restored to an earlier state can tell which ids are still valid. */
export interface LiveEpoch {
  readonly name: string
  /** Hexadecimal; signs the ids. */
  readonly secret: string
  /** Where the journal ended when the next run began. The journal before that is part of this epoch's history. Null for the last epoch. */
  readonly endPosition: number | null
  /** The last deletion change at that time. */
  readonly endChange: number | null
}

const number = '(?:0|[1-9]\\d{0,15})'
const pattern = new RegExp(`^([0-9a-f]{16})-(${number}\\.${number})-([\\w-]{${signatureCharacters}})$`)

export function encodeLiveId({ name, secret }: LiveEpoch, entityId: number, place: string): string {
  return `${name}-${place}-${signatureOf(Buffer.from(secret, 'hex'), entityId, place)}`
}

/** The place in an entity's id. Null if the id is unknown, or its place is beyond the history that its epoch shares with this folder. */
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
