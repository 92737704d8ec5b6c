// The ids of live rows on a cluster, which all its processes sign with one secret. docs/formats/live.md
import type { SecretCatalog } from '../../catalog/catalog.ts'
import type { ClusterDeletionCatalog } from '../../catalog/deletions.ts'
import type { LiveIds } from '../live-rows.ts'
import { isSigned, signatureCharacters, signatureOf } from '../signature.ts'
import { placeAt } from './offsets.ts'

export interface ClusterIdsParts {
  readonly secrets: SecretCatalog
  /** Offset ranges of an entity's committed rows in Kafka, by partition. Throws Problem `unavailable` while Kafka is unreachable. */
  readonly held: (entityId: number) => Promise<readonly Held[]>
  readonly deletions: Pick<ClusterDeletionCatalog, 'lastChange' | 'hasChanged'>
  /** How long deletion changes are kept for readers that resume. */
  readonly changesKeptMs: number
  readonly nowMs: () => number
}

export interface Held {
  readonly firstOffset: number
  readonly endOffset: number
}

const number = '(?:0|[1-9]\\d{0,15})'
const pattern = new RegExp(`^(${number}(?:\\.${number})*-${number})-([\\w-]{${signatureCharacters}})$`)

export class ClusterIds implements LiveIds<string> {
  readonly #parts: ClusterIdsParts
  #secret: Uint8Array = new Uint8Array()
  #readers = 0

  constructor(parts: ClusterIdsParts) {
    this.#parts = parts
  }

  get readers(): number {
    return this.#readers
  }

  async begin(): Promise<void> {
    this.#readers++
    if (this.#secret.length === 0) this.#secret = await this.#parts.secrets.secret('live')
  }

  end(): void {
    this.#readers--
  }

  idOf(entityId: number, position: string): string {
    return `${position}-${signatureOf(this.#secret, entityId, position)}`
  }

  async startOf(entityId: number, id: string): Promise<string | null> {
    const [, position, signature] = pattern.exec(id) ?? []
    if (position === undefined || signature === undefined) return null
    if (!isSigned(signature, this.#secret, entityId, position)) return null
    const { deletions, changesKeptMs, nowMs } = this.#parts
    const held = await this.#parts.held(entityId)
    const { offsets, change } = placeAt(position, held.length)
    if (change > (await deletions.lastChange())) return null
    if (await deletions.hasChanged(entityId, change, nowMs() - changesKeptMs)) return null
    const isHeld = held.every(({ firstOffset, endOffset }, partition) => {
      const offset = offsets[partition]!
      return firstOffset <= offset && offset <= endOffset
    })
    return isHeld ? position : null
  }
}
