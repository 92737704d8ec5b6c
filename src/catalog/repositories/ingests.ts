import type { ExpressionBuilder, Kysely, Transaction } from 'kysely'
import { addTo } from '../../lib/add-to.ts'
import {
  changedReading,
  type Entity,
  type HoursKept,
  type HoursMade,
  type MetadataEntity,
  type ReadingChange,
} from '../../model/entity.ts'
import type { Field } from '../../model/field.ts'
import type { Ingest, Unknown } from '../../model/ingest.ts'
import { Problem } from '../../model/problem.ts'
import type {
  DeletedData,
  IngestCatalog,
  IngestChange,
  ListBounds,
  NewIngest,
  OpenIngest,
  Retention,
} from '../catalog.ts'
import { fieldsByRow, refuse, repetitions } from '../field-disagreements.ts'
import type { CatalogLocks } from '../locks.ts'
import type { Tables } from '../schema.ts'
import { versionedChange } from './audited.ts'
import { counterValue, nextValue } from './counters.ts'
import { dropEntity, markDeleted } from './dropped.ts'
import { entityFieldsOf, joinEntity, metadataEntities, readingOf, seriesEntities } from './entities.ts'
import { notePlaces, sinceOf } from './field-places.ts'
import { fieldOf, type IngestRow, ingestOf, withUnknown } from './ingest-rows.ts'
import { toTextColumn } from './text-column.ts'
import { Repository } from './transactions.ts'

export class IngestRepository extends Repository implements IngestCatalog {
  readonly #locks: CatalogLocks

  constructor(database: Kysely<Tables>, locks: CatalogLocks) {
    super(database)
    this.#locks = locks
  }

  create(ingest: NewIngest): Promise<Ingest> {
    return versionedChange(this.database, 'definitions_version', async (transaction) => {
      await refuseTakenAlias(transaction, ingest.alias)
      const entityId = await joinEntity(transaction, ingest)
      const id = await nextValue(transaction, 'ingest_id')
      const { alias, kind, createdMs } = ingest
      await transaction
        .insertInto('ingests')
        .values({
          id,
          alias,
          kind,
          entity_id: entityId,
          state: 'active',
          reason: null,
          unknown: ingest.unknown === 'add' ? withUnknown('', 1, 'add') : '',
          lines_tag: ingest.lines === undefined ? null : toTextColumn(ingest.lines.tag),
          fields_version: 1,
          created_ms: createdMs,
          deleted_ms: null,
        })
        .execute()
      await insertFields(transaction, id, { fields: ingest.fields, version: 1, firstOrdinal: 0 })
      return existing(await findByAlias(transaction, alias))
    })
  }

  find(alias: string): Promise<Ingest | null> {
    return this.reading((transaction) => findByAlias(transaction, alias))
  }

  findVersion(id: number, fieldsVersion: number): Promise<Ingest | null> {
    return this.reading(async (transaction) => {
      const row = await selectIngests(transaction).where('ingests.id', '=', id).executeTakeFirst()
      if (row === undefined || fieldsVersion < 1 || fieldsVersion > row.fields_version) return null
      return ingestOf({ ...row, fields_version: fieldsVersion }, await fieldsOf(transaction, id, fieldsVersion))
    })
  }

  findOpen(id: number): Promise<OpenIngest | null> {
    return this.reading((transaction) => openIngestOf(transaction, id))
  }

  addByRow(id: number, fields: readonly Field[], position: number, fieldsMax: number): Promise<OpenIngest | null> {
    return this.changing(async (transaction) => {
      await nextValue(transaction, 'definitions_version')
      const open = await openIngestOf(transaction, id)
      if (open === null) return null
      const { ingest, entity } = open
      const made = fieldsByRow(ingest.fields, entity, fields, fieldsMax)
      if (made === null) return open
      if (made.length > 0) {
        await addFields(transaction, ingest, made)
        const version = ingest.fieldsVersion + 1
        await transaction.updateTable('ingests').set({ fields_version: version }).where('id', '=', id).execute()
      }
      await notePlaces(transaction, id, fields, position)
      return openIngestOf(transaction, id)
    })
  }

  list({ after, limit }: ListBounds): Promise<readonly Ingest[]> {
    return this.reading(async (transaction) => {
      const rows = await selectIngests(transaction)
        .where('ingests.deleted_ms', 'is', null)
        .where('ingests.alias', '>', after ?? '')
        .orderBy('ingests.alias')
        .limit(limit)
        .execute()
      const fields = await fieldsBetween(transaction, rows)
      return rows.map((row) => ingestOf(row, fields.get(row.id) ?? []))
    })
  }

  change(alias: string, change: IngestChange): Promise<Ingest | null> {
    return versionedChange(this.database, 'definitions_version', async (transaction) => {
      const current = await findByAlias(transaction, alias)
      if (current === null) return null
      const added = change.addFields ?? []
      if (added.length > 0) await addFields(transaction, current, added)
      const turns = change.unknown !== undefined && change.unknown !== (current.unknown ?? 'reject')
      if (turns) await turnUnknown(transaction, current, change.unknown ?? 'reject')
      const reason = reasonAfter(current, change)
      await transaction
        .updateTable('ingests')
        .set({
          state: change.state ?? current.state,
          reason: reason === null ? null : toTextColumn(reason),
          fields_version: current.fieldsVersion + (added.length > 0 || turns ? 1 : 0),
        })
        .where('id', '=', current.id)
        .execute()
      return existing(await findByAlias(transaction, alias))
    })
  }

  delete(alias: string, data: DeletedData, deletedMs: number): Promise<boolean> {
    return versionedChange(this.database, 'definitions_version', async (transaction) => {
      const ingest = await findByAlias(transaction, alias)
      if (ingest === null) return false
      if (data === 'keep') await markDeleted(transaction, ingest, deletedMs)
      else {
        await this.#locks.dropping(transaction)
        await dropEntity(transaction, ingest, deletedMs)
      }
      return true
    })
  }

  retain(entityId: number, { retention, sinceMs, hours }: Retention, known: Retention): Promise<boolean> {
    return versionedChange(this.database, 'definitions_version', async (transaction) => {
      const { numUpdatedRows } = await transaction
        .updateTable('entities')
        .set({ retention, since_ms: sinceMs, hours: hoursText(hours) })
        .where('id', '=', entityId)
        .where('kind', '=', 'series')
        .where((column) => isOrNull(column, 'retention', known.retention))
        .where((column) => isOrNull(column, 'since_ms', known.sinceMs))
        .where((column) => isOrNull(column, 'hours', hoursText(known.hours)))
        .executeTakeFirstOrThrow()
      return numUpdatedRows > 0n
    })
  }

  setReading(entityId: number, change: ReadingChange): Promise<boolean> {
    return versionedChange(this.database, 'definitions_version', async (transaction) => {
      const ofEntity = transaction.selectFrom('entities').where('id', '=', entityId).where('kind', '=', 'series')
      const known = await ofEntity.select('reading').executeTakeFirst()
      if (known === undefined) return false
      const reading = JSON.stringify(changedReading(known.reading === null ? {} : readingOf(known.reading), change))
      await transaction.updateTable('entities').set({ reading }).where('id', '=', entityId).execute()
      return true
    })
  }

  entities(): Promise<readonly Entity[]> {
    return this.reading(seriesEntities)
  }

  metadataEntities(): Promise<readonly MetadataEntity[]> {
    return this.reading(metadataEntities)
  }

  version(): Promise<number> {
    return counterValue(this.database, 'definitions_version')
  }
}

/** The text in which hours are compared: members in a fixed order. */
const hoursText = (hours: HoursKept | undefined): string | null =>
  hours === undefined
    ? null
    : JSON.stringify({
        retention: hours.retention,
        sinceMs: hours.sinceMs,
        ...(hours.made === undefined ? {} : { made: madeInOrder(hours.made) }),
      })

function madeInOrder({ goneMs, madeMs, making }: HoursMade): HoursMade {
  if (making === null) return { goneMs, madeMs, making }
  const { untilMs, pushed, deletionId, startedMs, rows, isRemoving } = making
  return { goneMs, madeMs, making: { untilMs, pushed, deletionId, startedMs, rows, isRemoving } }
}

function isOrNull(
  column: ExpressionBuilder<Tables, 'entities'>,
  name: 'retention' | 'since_ms' | 'hours',
  value: string | number | null,
) {
  return value === null ? column(name, 'is', null) : column(name, '=', value)
}

function existing(ingest: Ingest | null): Ingest {
  if (ingest === null) throw new Error('an ingest that was just written is there')
  return ingest
}

/** A reason belongs to the state it was given for. Changing the state without a reason clears it. */
function reasonAfter(current: Ingest, { state, reason }: IngestChange): string | null {
  if (reason !== undefined) return reason
  return state === undefined || state === current.state ? current.reason : null
}

async function refuseTakenAlias(transaction: Transaction<Tables>, alias: string): Promise<void> {
  if ((await findByAlias(transaction, alias)) === null) return
  throw new Problem('conflict', `There is already an ingest "${alias}". Choose another alias.`, {
    errors: [{ path: 'alias', message: 'the alias is taken' }],
  })
}

async function addFields(transaction: Transaction<Tables>, ingest: Ingest, fields: readonly Field[]): Promise<void> {
  refuse(repetitions(ingest.fields, fields))
  await joinEntity(transaction, { ...ingest, fields }, 'add_fields')
  await insertFields(transaction, ingest.id, {
    fields,
    version: ingest.fieldsVersion + 1,
    firstOrdinal: ingest.fields.length,
  })
}

function selectIngests(database: Kysely<Tables>) {
  return database
    .selectFrom('ingests')
    .innerJoin('entities', 'entities.id', 'ingests.entity_id')
    .selectAll('ingests')
    .select(['entities.name as entity', 'entities.duplicates'])
}

async function findByAlias(database: Kysely<Tables>, alias: string): Promise<Ingest | null> {
  const row = await selectIngests(database)
    .where('ingests.alias', '=', alias)
    .where('ingests.deleted_ms', 'is', null)
    .executeTakeFirst()
  return row === undefined ? null : ingestOf(row, await fieldsOf(database, row.id, row.fields_version))
}

async function openIngestOf(database: Kysely<Tables>, id: number): Promise<OpenIngest | null> {
  const row = await selectIngests(database).where('ingests.id', '=', id).executeTakeFirst()
  if (row === undefined) return null
  const ingest = ingestOf(row, await fieldsOf(database, id, row.fields_version))
  return { ingest, since: await sinceOf(database, id), entity: await entityFieldsOf(database, ingest.entityId) }
}

async function fieldsOf(database: Kysely<Tables>, ingestId: number, version: number): Promise<readonly Field[]> {
  const rows = await database
    .selectFrom('ingest_fields')
    .select(['name', 'source', 'type', 'role', 'coding', 'added'])
    .where('ingest_id', '=', ingestId)
    .where('version', '<=', version)
    .orderBy('ordinal')
    .execute()
  return rows.map(fieldOf)
}

/** The fields of a page of ingests, read with one query, by ingest id. */
async function fieldsBetween(
  database: Kysely<Tables>,
  page: readonly IngestRow[],
): Promise<ReadonlyMap<number, readonly Field[]>> {
  const fields = new Map<number, Field[]>()
  if (page.length === 0) return fields
  const rows = await database
    .selectFrom('ingest_fields')
    .innerJoin('ingests', 'ingests.id', 'ingest_fields.ingest_id')
    .select(['ingest_id', 'name', 'source', 'type', 'role', 'coding', 'added'])
    .where('ingests.deleted_ms', 'is', null)
    .where('ingests.alias', '>=', page[0]!.alias)
    .where('ingests.alias', '<=', page.at(-1)!.alias)
    .orderBy('ingest_id')
    .orderBy('ordinal')
    .execute()
  for (const row of rows) {
    addTo(fields, row.ingest_id, fieldOf(row))
  }
  return fields
}

/** Changes how unknown properties are treated, from the next version of the fields on. */
async function turnUnknown(transaction: Transaction<Tables>, ingest: Ingest, unknown: Unknown): Promise<void> {
  const { unknown: changes } = await transaction
    .selectFrom('ingests')
    .select('unknown')
    .where('id', '=', ingest.id)
    .executeTakeFirstOrThrow()
  await transaction
    .updateTable('ingests')
    .set({ unknown: withUnknown(changes, ingest.fieldsVersion + 1, unknown) })
    .where('id', '=', ingest.id)
    .execute()
}

interface VersionedFields {
  readonly fields: readonly Field[]
  readonly version: number
  readonly firstOrdinal: number
}

/** Inserts fields of an ingest, numbered from `firstOrdinal`. */
async function insertFields(
  transaction: Transaction<Tables>,
  ingestId: number,
  { fields, version, firstOrdinal }: VersionedFields,
): Promise<void> {
  for (const [index, { name, source, type, role, coding = null, added = null }] of fields.entries()) {
    await transaction
      .insertInto('ingest_fields')
      .values({
        ingest_id: ingestId,
        ordinal: firstOrdinal + index,
        version,
        name,
        source: toTextColumn(source),
        type,
        role,
        coding,
        added,
      })
      .execute()
  }
}
