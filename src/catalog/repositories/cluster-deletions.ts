import type { Kysely } from 'kysely'
import { parseWithLongs } from '../../lib/json-with-longs.ts'
import type { Deletion, HiddenRows } from '../../model/deletion.ts'
import { Problem } from '../../model/problem.ts'
import type { ClusterDeletionCatalog } from '../deletions.ts'
import type { Tables } from '../schema.ts'
import { nextValue } from './counters.ts'
import { deletionsOf, rowOf } from './deletions.ts'
import { inTransaction } from './in-transaction.ts'

/** Deletions of a cluster. Each change of them is one of definitions: so all processes hear of it. */
export class ClusterDeletionRepository implements ClusterDeletionCatalog {
  readonly #database: Kysely<Tables>

  constructor(database: Kysely<Tables>) {
    this.#database = database
  }

  list(entityId: number): Promise<readonly Deletion[]> {
    return deletionsOf(this.#database, entityId)
  }

  async hidden(): Promise<ReadonlyMap<number, readonly HiddenRows[]>> {
    const rows = await this.#database
      .selectFrom('deletions')
      .select(['entity_id', 'selection', 'hidden'])
      .orderBy('id')
      .execute()
    const byEntity = new Map<number, HiddenRows[]>()
    for (const { entity_id, ...row } of rows) {
      const known = byEntity.get(entity_id) ?? []
      byEntity.set(entity_id, known)
      known.push(hiddenOf(row))
    }
    return byEntity
  }

  create(
    deletion: Omit<Deletion, 'id' | 'erasedMs'>,
    hidden: Omit<HiddenRows, 'selection'>,
    { deletionsMax, itemsMax }: { readonly deletionsMax: number; readonly itemsMax: number },
  ): Promise<Deletion> {
    return inTransaction(this.#database, async (transaction) => {
      await nextValue(transaction, 'definitions_version')
      const { entityId } = deletion
      const entity = await transaction.selectFrom('entities').select('id').where('id', '=', entityId).executeTakeFirst()
      if (entity === undefined) throw new Problem('not_found', 'The entity was dropped meanwhile.')
      const others = await transaction
        .selectFrom('deletions')
        .select(['selection', 'hidden'])
        .where('entity_id', '=', entityId)
        .execute()
      if (others.length >= deletionsMax) throw tooMany(deletionsMax)
      const items = [hidden, ...others.map(hiddenOf)].reduce((sum, one) => sum + itemsIn(one), 0)
      if (items > itemsMax) throw tooManyItems(itemsMax)
      const made = { ...deletion, id: await nextValue(transaction, 'deletion_id'), erasedMs: null }
      await transaction
        .insertInto('deletions')
        .values({ ...rowOf(made), hidden: JSON.stringify(hidden) })
        .execute()
      return made
    })
  }

  takeBack(entityId: number, id: number): Promise<boolean> {
    return inTransaction(this.#database, async (transaction) => {
      await nextValue(transaction, 'definitions_version')
      const { numDeletedRows } = await transaction
        .deleteFrom('deletions')
        .where('entity_id', '=', entityId)
        .where('id', '=', id)
        .executeTakeFirst()
      return numDeletedRows > 0n
    })
  }
}

function hiddenOf({ selection, hidden }: Pick<Tables['deletions'], 'selection' | 'hidden'>): HiddenRows {
  if (hidden === null) throw new Error('a deletion of a cluster says what it hides')
  return { selection: parseWithLongs(selection) as HiddenRows['selection'], ...JSON.parse(hidden) }
}

function itemsIn({ items }: Pick<HiddenRows, 'items'>): number {
  return (items ?? []).reduce((sum, { times }) => sum + times.length, 0)
}

function tooMany(deletionsMax: number): Problem {
  return new Problem(
    'conflict',
    `The entity has ${deletionsMax} deletions that can be taken back, which is the most (limits.deletions). Take some back first.`,
  )
}

function tooManyItems(itemsMax: number): Problem {
  return new Problem(
    'conflict',
    `The entity's deletions with \`where\` would note more than ${itemsMax.toLocaleString('en-US')} items together, the most on a cluster where newer rows replace older ones. Take some back first, or select a shorter time.`,
  )
}
