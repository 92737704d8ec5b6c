// The service keeps its own history: its metrics as rows of an entity of its own, by the way that all rows take.
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
/** No subscriber and no key of the catalog has these. */
const itself = { subscriberId: 0, keyId: 'the service itself' }

/** How often a row is noted; 0 is never. An entity of a cluster that rows always come to holds a task slot of Druid. */
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
  // A push that is refused for a while is told of by what refuses it.
  const refused = (error: unknown): void => {
    if (!(error instanceof Problem) || !error.retryable) failed(error)
  }
  closers.push(repeat(note, everyMs, refused))
}

function pushOf(ingest: Ingest, row: object) {
  const body = Buffer.from(JSON.stringify(row))
  return { ...itself, ingest, body, format: 'json' as const, idempotencyKey: null, wait: false }
}

/** Makes the ingest, or fields that an earlier version did not have. Nobody else makes one of this name. */
async function prepare({ definitions, ingestAdmin, entityAdmin }: SelfHistoryParts['services']): Promise<void> {
  const known = definitions.ingest(selfEntity)
  if (known === undefined) {
    const isKept = definitions.entity(selfEntity) !== undefined
    await create(ingestAdmin)
    // An entity that was kept has the one that its operator wants.
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
    // Another process of a cluster that starts at the same moment was first.
    if (!(error instanceof Problem) || error.code !== 'conflict') throw error
  }
}
