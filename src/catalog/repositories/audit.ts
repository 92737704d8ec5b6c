import type { Kysely, Transaction } from 'kysely'
import { howManyFit } from '../../lib/how-many-fit.ts'
import type {
  AuditCatalog,
  AuditedChange,
  AuditFilter,
  AuditLine,
  AuditPage,
  NewAuditLine,
  RequestedChange,
} from '../audit.ts'
import type { StateSources } from '../catalog.ts'
import type { Tables } from '../schema.ts'
import { currentChange, insertLine, keepAfter, lineOf, mendLine, type RunningChange, runChange } from './audited.ts'
import { portions } from './portions.ts'
import { fromTextColumn, toTextColumn } from './text-column.ts'
import { pauseForOthers, Repository } from './transactions.ts'

export class AuditRepository extends Repository implements AuditCatalog<StateSources> {
  readonly #sources: (transaction: Transaction<Tables>) => StateSources

  constructor(database: Kysely<Tables>, sources: (transaction: Transaction<Tables>) => StateSources) {
    super(database)
    this.#sources = sources
  }

  change(asked: RequestedChange<StateSources>, nowMs: () => number): AuditedChange {
    const read = asked.state
    const state = read === undefined ? null : (transaction: Transaction<Tables>) => read(this.#sources(transaction))
    const current: RunningChange = { asked, nowMs, state, lineId: null, counts: {} }
    return {
      run: (work) => runChange(current, work),
      keepLine: async () => {
        if (current.lineId !== null) return
        current.lineId = await this.changing(async (transaction) => {
          const standing = (await state?.(transaction)) ?? null
          return insertLine(transaction, lineOf(current, standing, standing))
        })
      },
    }
  }

  async setAfter(after: unknown): Promise<void> {
    const current = currentChange()
    if (current === undefined) return
    current.lineId = await this.changing((transaction) => keepAfter(transaction, current, after))
  }

  add(line: NewAuditLine): Promise<number> {
    return this.changing((transaction) => insertLine(transaction, line))
  }

  update(id: number, after: unknown): Promise<boolean> {
    return this.changing((transaction) => mendLine(transaction, id, after))
  }

  list(filter: AuditFilter): Promise<AuditPage> {
    return this.reading(async (transaction) => {
      const found = await sizesOf(transaction, filter)
      const sizes = found.slice(0, filter.limit).map(({ line_bytes }) => line_bytes)
      const ids = found.slice(0, howManyFit(sizes, filter.bytesMax)).map(({ id }) => id)
      return { lines: await linesOf(transaction, ids), more: found.length > ids.length }
    })
  }

  async removeBefore(ms: number, linesMax: number): Promise<number> {
    const { numDeletedRows } = await this.changing((transaction) =>
      transaction
        .deleteFrom('audit_lines')
        .where('id', 'in', (query) =>
          query.selectFrom('audit_lines').select('id').where('time_ms', '<', ms).orderBy('time_ms').limit(linesMax),
        )
        .executeTakeFirstOrThrow(),
    )
    const removed = Number(numDeletedRows)
    // There may be more.
    if (removed === linesMax) await pauseForOthers()
    return removed
  }
}

/** One more than the page takes, if there are that many. */
function sizesOf(
  transaction: Transaction<Tables>,
  { who, what, fromMs, untilMs, after, limit }: AuditFilter,
): Promise<readonly Pick<Tables['audit_lines'], 'id' | 'line_bytes'>[]> {
  let select = newestFirst(transaction).select(['id', 'line_bytes'])
  if (who !== undefined) {
    const named = toTextColumn(who)
    select = select.where(({ or, eb }) => or([eb('subscriber', '=', named), eb('key_id', '=', named)]))
  }
  if (what !== undefined) select = select.where('what', '=', what)
  if (fromMs !== undefined) select = select.where('time_ms', '>=', fromMs)
  if (untilMs !== undefined) select = select.where('time_ms', '<', untilMs)
  if (after !== null) {
    const { timeMs, id } = after
    select = select.where('time_ms', '<=', timeMs)
    select = select.where(({ or, eb }) => or([eb('time_ms', '<', timeMs), eb('id', '<', id)]))
  }
  return select.limit(limit + 1).execute()
}

function newestFirst(transaction: Transaction<Tables>) {
  return transaction.selectFrom('audit_lines').orderBy('time_ms', 'desc').orderBy('id', 'desc')
}

async function linesOf(transaction: Transaction<Tables>, ids: readonly number[]): Promise<readonly AuditLine[]> {
  const lines: AuditLine[] = []
  for (const portion of portions(ids)) {
    const rows = await newestFirst(transaction).selectAll().where('id', 'in', portion).execute()
    lines.push(...rows.map(lineOfRow))
  }
  return lines
}

function lineOfRow(row: Tables['audit_lines']): AuditLine {
  const { id, time_ms, key_id, subscriber, address, request, what, name, before, after } = row
  return {
    id,
    timeMs: time_ms,
    key: key_id === null ? null : fromTextColumn(key_id),
    subscriber: subscriber === null ? null : fromTextColumn(subscriber),
    address,
    request,
    what,
    name: name === null ? null : fromTextColumn(name),
    before: before === null ? null : JSON.parse(before),
    after: after === null ? null : JSON.parse(after),
  }
}
