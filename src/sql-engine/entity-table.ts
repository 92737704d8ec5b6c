// Series entities as tables of the engine.
import type { CancelSignal } from '../lib/cancellation.ts'
import { damagedData } from '../model/damaged-data.ts'
import type { Entity } from '../model/entity.ts'
import { Problem } from '../model/problem.ts'
import type { RowsFile } from '../model/rows-file.ts'
import { DamagedRows, type EngineSnapshot, type EngineSnapshots, type EngineTable } from './sql-engine.ts'

export interface EntityFilesParts {
  readonly snapshots: EngineSnapshots
  /** Called with a file that cannot be read. The caller does not learn which file it is. */
  readonly damaged: (file: Pick<DamagedRows, 'path' | 'message'>) => void
}

const nothing: EngineSnapshot = { entities: [], isLost: () => false, release: () => undefined }

/**
 * Runs `work` on a snapshot of the rows of entities, with a table for each in the same order. Rethrows its errors, and throws Problem
 * `damaged_data` or `unavailable` where files cannot be read or have disappeared.
 */
export async function onTables<Result>(
  entities: readonly Entity[],
  { snapshots, damaged }: EntityFilesParts,
  signal: CancelSignal,
  work: (tables: readonly EngineTable[]) => Promise<Result>,
): Promise<Result> {
  const ids = entities.map(({ id }) => id)
  const snapshot = ids.length === 0 ? nothing : await snapshots.snapshot(ids, signal)
  const files = new Map(snapshot.entities.map((entity) => [entity.entityId, entity.files]))
  try {
    return await work(entities.map((entity) => engineTable(entity, files.get(entity.id) ?? [])))
  } catch (error) {
    // The files disappeared while they were read. This is not the fault of the caller, and the next query finds new ones.
    if (snapshot.isLost() && !(error instanceof Problem) && !signal.aborted) throw storeUnavailable(error)
    if (!(error instanceof DamagedRows)) throw error
    damaged(error)
    throw damagedData()
  } finally {
    snapshot.release()
  }
}

/** A series entity as a table of the engine: its time first, then its other fields in their order, as in `sqlTable`. */
export function engineTable(entity: Entity, files: readonly RowsFile[]): EngineTable {
  const { id, fields, sinceMs, duplicates } = entity
  const others = fields.filter(({ role }) => role !== 'time')
  const tags = fields.filter(({ role }) => role === 'tag').map(({ name }) => name)
  return {
    entityId: id,
    fields: [
      { name: '__time', type: 'timestamp' },
      ...others.map(({ name, type }) => ({ name, type: type === 'json' ? ('string' as const) : type })),
    ],
    files,
    sinceMs,
    replacesBy: duplicates === 'replace' ? tags : null,
  }
}

function storeUnavailable(cause: unknown): Problem {
  return new Problem('unavailable', 'The store was restarted while the query ran. Retry in a moment.', {
    cause,
  })
}
