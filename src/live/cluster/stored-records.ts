// Rows as stored in an entity's topic (docs/formats/kafka-topics.md), converted to columns.
import type { RowPlace } from '../../catalog/partitions.ts'
import { withExactLongs } from '../../lib/json-with-longs.ts'
import { positionColumn, timeColumn } from '../../model/druid-row.ts'
import type { Entity } from '../../model/entity.ts'
import { newColumnBuilder } from '../../store/column-builder.ts'
import type { StoredRows } from '../journal-rows.ts'

export interface StoredRecord {
  readonly offset: number
  readonly value: Buffer
}

const lineFeed = 0x0a

/** All rows of a record have its offset as their position. */
export function storedRows({ id, fields }: Pick<Entity, 'id' | 'fields'>, { offset, value }: StoredRecord): StoredRows {
  const text = value.toString()
  const lines = (/\d{16}/.test(text) ? withExactLongs(text) : text).trimEnd().split('\n')
  const objects = lines.map((line): object => JSON.parse(line))
  const columns = fields.map(({ name, role, type }) => {
    const key = role === 'time' ? timeColumn : name
    const column = newColumnBuilder(type)
    for (const object of objects) column.push(Reflect.get(object, key))
    return column.pick(Int32Array.from(objects.keys()))
  })
  const positions = Float64Array.from(objects, (object) => Number(Reflect.get(object, positionColumn)))
  const batch = { entityId: id, rows: objects.length, positions, fields, columns }
  return { batch, replayPosition: offset, hidden: new Set() }
}

export function lastRowOf({ value }: StoredRecord): RowPlace {
  const end = value.length - 1
  const line = value.subarray(value.lastIndexOf(lineFeed, end - 1) + 1, end).toString()
  const row: Readonly<Record<string, unknown>> = JSON.parse(line)
  return { position: Number(row[positionColumn]), ms: Number(row[timeColumn]) }
}
