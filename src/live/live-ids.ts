// The ids of live rows: a position of an entity, which this data folder gave. docs/formats/live.md
import { createHmac, timingSafeEqual } from 'node:crypto'

/** Ids are of the run of the service that gave them, so that a folder that was put back to an earlier state knows which of them are still its own. */
export interface LiveEpoch {
  readonly name: string
  /** In hexadecimal; ids are signed with it. */
  readonly secret: string
  /** How far the journal came when another run began: all that it has before that this epoch has too. Null of the last one. */
  readonly endPosition: number | null
}

const macCharacters = 16

export function encodeLiveId({ name, secret }: LiveEpoch, entityId: number, position: number): string {
  return `${name}-${position}-${macOf(secret, entityId, position)}`
}

/** The position in an id of the entity; null of one that is unknown, or reaches further than what its epoch shares with this folder. */
export function decodeLiveId(epochs: readonly LiveEpoch[], entityId: number, id: string): number | null {
  const [, name, digits, mac] = /^([0-9a-f]{16})-(0|[1-9]\d{0,15})-([\w-]{16})$/.exec(id) ?? []
  const epoch = epochs.find((one) => one.name === name)
  if (epoch === undefined || digits === undefined || mac === undefined) return null
  const position = Number(digits)
  if (!timingSafeEqual(Buffer.from(mac), Buffer.from(macOf(epoch.secret, entityId, position)))) return null
  return position <= (epoch.endPosition ?? Number.POSITIVE_INFINITY) ? position : null
}

function macOf(secret: string, entityId: number, position: number): string {
  return createHmac('sha256', Buffer.from(secret, 'hex'))
    .update(`${entityId} ${position}`)
    .digest('base64url')
    .slice(0, macCharacters)
}
