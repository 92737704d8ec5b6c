import type { Sql } from '../../lib/sql-text.ts'
import type { Entity } from '../../model/entity.ts'
import { parseQuery } from '../parse/parse-query.ts'
import type { Place } from '../parse/sql-problem.ts'
import { entitySource, type KnownColumns } from './entity-source.ts'
import { QueryWriter } from './write-query.ts'

/**
 * A query that was checked (`translateSql`), as a statement of Druid's SQL. Its columns are those of the check, in order; `namedKeys` is the check's. Throws Problem
 * `invalid_request` for what only the embedded engine takes.
 */
export function druidStatement(
  text: string,
  entities: readonly Entity[],
  clusterName: string,
  known: KnownColumns,
  namedKeys: readonly Place[] = [],
): Sql {
  const byName = new Map(entities.map((entity) => [entity.name, entity]))
  const writer = new QueryWriter((name) => {
    const entity = byName.get(name)
    return entity === undefined ? null : entitySource(entity, clusterName, known)
  }, namedKeys)
  return writer.query(parseQuery(text))
}
