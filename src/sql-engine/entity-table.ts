import type { Entity } from '../model/entity.ts'
import type { RowsFile } from '../model/rows-file.ts'
import type { EngineTable } from './sql-engine.ts'

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
