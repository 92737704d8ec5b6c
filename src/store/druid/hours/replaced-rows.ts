import type { HiddenRows } from '../../../model/deletion.ts'
import { type Entity, fieldsOfRole, type HoursMade } from '../../../model/entity.ts'

/** The rows that hours have replaced; null where there are none. */
export function replacedRows({ fields }: Pick<Entity, 'fields'>, made: HoursMade): HiddenRows | null {
  const { goneMs, madeMs, making } = made
  const [tag] = fieldsOfRole({ fields }, 'tag')
  if (making === null || goneMs >= madeMs || tag === undefined) return null
  const dates = { fromMs: goneMs, toMs: madeMs - 1 }
  const selection = { tag: tag.name, ids: null, prefixes: null, ...dates, metrics: null, where: null }
  return { selection, pushed: making.pushed, items: null }
}
