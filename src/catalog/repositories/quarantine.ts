import { lineFormats } from '../../model/line-format.ts'
import type { QuarantineCatalog, QuarantinedEntry, QuarantineLevel } from '../quarantine.ts'
import { auditedTransaction } from './audited.ts'
import { oneOf } from './ingest-rows.ts'
import { Repository } from './transactions.ts'

/** The size of a part of a body. Each part is one record, so memory does not grow with the body. */
const partBytes = 1024 * 1024
const formats = ['json', 'ndjson', 'replay', ...lineFormats] as const

export class QuarantineRepository extends Repository implements QuarantineCatalog {
  async list(): Promise<readonly QuarantinedEntry[]> {
    const rows = await this.database.selectFrom('quarantine').selectAll().orderBy('position').execute()
    return rows.map((row) => ({
      position: row.position,
      fromPosition: row.from_position,
      level: levelOf(row.level),
      ingestId: row.ingest_id,
      fieldsVersion: row.fields_version,
      subscriberId: row.subscriber_id,
      receivedMs: row.received_ms,
      format: oneOf(formats, row.format),
      rows: row.rows,
      bodyBytes: row.body_bytes,
      quarantinedMs: row.quarantined_ms,
      isReleased: row.let_go === 1,
    }))
  }

  async add(entry: Omit<QuarantinedEntry, 'bodyBytes' | 'isReleased'>, body: Uint8Array): Promise<void> {
    // Parts first, each in its own transaction: the decision applies only after the body is complete.
    for (let part = 0; part * partBytes < body.length; part++) {
      const bytes = body.slice(part * partBytes, (part + 1) * partBytes)
      await this.database
        .insertInto('quarantine_bodies')
        .values({ position: entry.position, part, bytes })
        .onConflict((conflict) => conflict.columns(['position', 'part']).doNothing())
        .execute()
    }
    await this.changing((transaction) =>
      transaction
        .insertInto('quarantine')
        .values({ ...recordOf(entry), body_bytes: body.length, let_go: 0 })
        .onConflict((conflict) => conflict.column('position').doUpdateSet({ level: entry.level }))
        .execute(),
    )
  }

  async bodyPart(position: number, part: number): Promise<Uint8Array | null> {
    const row = await this.database
      .selectFrom('quarantine_bodies')
      .select('bytes')
      .where('position', '=', position)
      .where('part', '=', part)
      .executeTakeFirst()
    return row?.bytes ?? null
  }

  release(position: number): Promise<boolean> {
    return auditedTransaction(this.database, async (transaction) => {
      const { numUpdatedRows } = await transaction
        .updateTable('quarantine')
        .set({ let_go: 1 })
        .where('position', '=', position)
        .where('let_go', '=', 0)
        .executeTakeFirstOrThrow()
      await transaction.deleteFrom('quarantine_bodies').where('position', '=', position).execute()
      return numUpdatedRows > 0n
    })
  }
}

function levelOf(level: number): QuarantineLevel {
  return level === 1 ? 1 : 2
}

function recordOf(entry: Omit<QuarantinedEntry, 'bodyBytes' | 'isReleased'>) {
  return {
    position: entry.position,
    from_position: entry.fromPosition,
    level: entry.level,
    ingest_id: entry.ingestId,
    fields_version: entry.fieldsVersion,
    subscriber_id: entry.subscriberId,
    received_ms: entry.receivedMs,
    format: entry.format,
    rows: entry.rows,
    quarantined_ms: entry.quarantinedMs,
  }
}
