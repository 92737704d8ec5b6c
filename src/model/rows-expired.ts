import type { Entity } from './entity.ts'
import { formatInstant } from './instant.ts'
import { Problem } from './problem.ts'

/** The error for requests that need expired rows of which only hours are kept. Rows exist from `untilMs` on. */
export function rowsExpired({ untilMs }: { readonly untilMs: number }, why: string): Problem {
  return new Problem('rows_expired', `There are rows from ${formatInstant(untilMs)} on: ${why}.`)
}

/**
 * Throws Problem `rows_expired` if a query that hours cannot answer needs expired rows. `firstReadMs` returns the date from which the query reads an
 * entity's rows; Infinity means from the oldest row that still exists.
 */
export function requireUnexpiredRows(
  entities: readonly Entity[],
  firstReadMs: (entity: Entity) => number,
  why: string,
): void {
  for (const entity of entities) {
    const { hours, sinceMs } = entity
    if (hours === undefined || sinceMs === null || firstReadMs(entity) >= sinceMs) continue
    throw rowsExpired({ untilMs: sinceMs }, why)
  }
}
