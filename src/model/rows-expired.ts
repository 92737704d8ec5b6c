import type { Entity } from './entity.ts'
import { formatInstant } from './instant.ts'
import { Problem } from './problem.ts'

/** Of a question about rows that have left, of which the hours alone are kept. `untilMs`: from then on there are rows. */
export function rowsExpired({ untilMs }: { readonly untilMs: number }, why: string): Problem {
  return new Problem('rows_expired', `There are rows from ${formatInstant(untilMs)} on: ${why}.`)
}

/**
 * Throws Problem `rows_expired` where a question that hours do not answer asks for rows that have left. `firstAskedMs` is from when on it asks
 * for rows of an entity; Infinity is from the first that there is.
 */
export function requireRowsAsked(
  entities: readonly Entity[],
  firstAskedMs: (entity: Entity) => number,
  why: string,
): void {
  for (const entity of entities) {
    const { hours, sinceMs } = entity
    if (hours === undefined || sinceMs === null || firstAskedMs(entity) >= sinceMs) continue
    throw rowsExpired({ untilMs: sinceMs }, why)
  }
}
