// The service stores its own history: its metrics are rows of an entity, and are stored in the same way as all rows.
import { hostname } from 'node:os'
import type { Settings } from '../config/settings.ts'
import type { Services } from '../http/services.ts'
import { repeat } from '../lib/repeat.ts'
import type { Ingest } from '../model/ingest.ts'
import { formatInstant } from '../model/instant.ts'
import { Problem } from '../model/problem.ts'
import { selfEntity } from '../model/self-history.ts'
import { checkFailed } from '../observe/check-failed.ts'
import type { Observe } from '../observe/event.ts'
import { type SelfFigures, selfFields } from '../observe/self-figures.ts'
import type { Closer } from './open-storage.ts'

export interface SelfHistoryParts {
  readonly settings: Settings
  readonly services: Pick<Services, 'definitions' | 'ingestAdmin' | 'entityAdmin' | 'pushes'>
  readonly figures: SelfFigures
  readonly observe: Observe
  readonly nowMs: () => number
}

const usualHistoryMs = 15_000
const retention = 'P7D'
/** No subscriber and no key in the catalog has these ids. */
const itself = { subscriberId: 0, keyId: 'the service itself' }

/** The time between two rows; 0 stores none. On a cluster an entity with a steady flow of rows occupies a task slot of Druid. */
export function selfHistoryMs({ self, engine }: Pick<Settings, 'self' | 'engine'>): number {
  return self.historyMs ?? (engine === 'cluster' ? 0 : usualHistoryMs)
}

export function openSelfHistory({ settings, services, figures, observe, nowMs }: SelfHistoryParts, closers: Closer[]) {
  const everyMs = selfHistoryMs(settings)
  if (everyMs === 0) return
  const name = settings.engine === 'cluster' ? hostname() : 'tidemark'
  let isPrepared = false
  const note = async (): Promise<void> => {
    if (!isPrepared) await prepare(services)
    isPrepared = true
    const ingest = services.definitions.ingest(selfEntity)
    if (ingest === undefined) {
      isPrepared = false
      return
    }
    figures.leaveOut(ingest.id)
    const row = { time: formatInstant(nowMs()), process: name, ...figures.take() }
    if (ingest.state === 'active') await services.pushes.push(pushOf(ingest, row))
  }
  const failed = checkFailed(observe)
  // A temporary refusal of a push is reported by the part that refuses it.
  const refused = (error: unknown): void => {
    if (!(error instanceof Problem) || !error.retryable) failed(error)
  }
  closers.push(repeat(note, everyMs, refused))
}

function pushOf(ingest: Ingest, row: object) {
  const body = Buffer.from(JSON.stringify(row))
  return { ...itself, ingest, body, format: 'json' as const, idempotencyKey: null, wait: false }
}

/** Creates the ingest, or fields that an earlier version did not have. No one else creates an ingest of this name. */
async function prepare({ definitions, ingestAdmin, entityAdmin }: SelfHistoryParts['services']): Promise<void> {
  const known = definitions.ingest(selfEntity)
  if (known === undefined) {
    const isKept = definitions.entity(selfEntity) !== undefined
    await create(ingestAdmin)
    // An entity that was kept already has the retention that its operator wants.
    if (!isKept) await entityAdmin.change(selfEntity, { retention })
    return
  }
  const missing = selfFields.filter(({ name }) => !known.fields.some((field) => field.name === name))
  if (missing.length > 0) await ingestAdmin.change(selfEntity, { add_fields: [...missing] })
}

async function create(ingestAdmin: Services['ingestAdmin']): Promise<void> {
  try {
    await ingestAdmin.create({ alias: selfEntity, kind: 'series', fields: [...selfFields] }, true)
  } catch (error) {
    // Another process of the cluster, started at the same moment, has created it first.
    if (!(error instanceof Problem) || error.code !== 'conflict') throw error
  }
}
