import type { Kysely, Transaction } from 'kysely'
import type { CounterName, Tables } from '../schema.ts'

/**
 * Returns the counter's next value. Every change of definitions or access takes the next version first: that row stays locked until the transaction ends, so
 * two changes never interleave, on any database.
 */
export async function nextValue(transaction: Transaction<Tables>, name: CounterName): Promise<number> {
  const { value } = await transaction
    .updateTable('counters')
    .set((column) => ({ value: column('value', '+', 1) }))
    .where('name', '=', name)
    .returning('value')
    .executeTakeFirstOrThrow()
  return value
}

export async function counterValue(database: Kysely<Tables>, name: CounterName): Promise<number> {
  const { value } = await database
    .selectFrom('counters')
    .select('value')
    .where('name', '=', name)
    .executeTakeFirstOrThrow()
  return value
}
