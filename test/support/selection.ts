import type { EntityField } from '../../src/model/entity.ts'
import type { Selection } from '../../src/model/plan.ts'

/** The fields of a small entity: a date, a tag and a number. */
export const time: EntityField = { name: 'D', type: 'timestamp', role: 'time' }
export const tag: EntityField = { name: 'T', type: 'string', role: 'tag' }
export const value: EntityField = { name: 'V', type: 'double', role: 'metric' }

export const always = { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY }

/** All of entity 1 with these fields, apart from a test's changes. */
export function selection(over: Partial<Selection> = {}): Selection {
  return {
    entityId: 1,
    sinceMs: null,
    time,
    tags: [tag],
    ids: null,
    prefixes: null,
    metrics: [value],
    fields: [],
    ...over,
  }
}
