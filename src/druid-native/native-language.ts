// Druid native queries, over the entities that they name and the reader may read.
import type { Engine, Language, QueryContext } from '../admission/queries.ts'
import type { Definitions } from '../catalog/definitions.ts'
import type { Entity } from '../model/entity.ts'
import { isNode, memberOf } from './parse/json-reader.ts'

export interface NativeBody {
  /** As received: its whole numbers have all their digits. */
  readonly bytes: Uint8Array
  /** The parsed `query_data`. */
  readonly query: unknown
}

/** Provides the engines that can execute queries on entities. */
export interface NativeEngines {
  /** Throws Problems for errors that can be detected before the query is queued. */
  of(
    bytes: Uint8Array,
    entities: readonly Entity[],
    context: QueryContext,
  ): readonly Engine[] | Promise<readonly Engine[]>
}

/**
 * Entities that the caller may not read are treated as unknown. Throws Problems `invalid_request`, `unsupported_native_query` and
 * `unknown_entity` with the path of the error, and `too_many_buckets`.
 */
export function nativeLanguage(definitions: Pick<Definitions, 'entity'>, engines: NativeEngines): Language<NativeBody> {
  return {
    advice: 'Narrow the intervals, filter, or group by fewer dimensions.',
    timeoutMs: ({ query }) => timeoutOf(query),
    read: async ({ bytes, query }, context) => {
      const { mayRead } = context.reader
      const entities = entityNames(query).flatMap((name) => (mayRead(name) ? (definitions.entity(name) ?? []) : []))
      return { kind: 'sql', engines: await engines.of(bytes, entities, context) }
    },
  }
}

/** The query's own `timeout` in milliseconds, 0 if it has none. A value that is not a number is reported when the query is read. */
const timeoutOf = (query: unknown): number => Number(memberOf(memberOf(query, 'context'), 'timeout') ?? 0)

/** Members of a data source that contain other data sources. */
const inner = ['left', 'right', 'base', 'dataSources', 'query', 'dataSource'] as const

/** The distinct names that a query uses as data sources, whether or not the rest of it is valid. */
function entityNames(query: unknown): readonly string[] {
  const names = new Set<string>()
  // Uses an explicit stack, because the caller controls the nesting depth.
  const sources: unknown[] = [memberOf(query, 'dataSource')]
  while (sources.length > 0) {
    const source = sources.pop()
    if (typeof source === 'string') names.add(source)
    else if (Array.isArray(source)) for (const one of source) sources.push(one)
    else if (isNode(source)) {
      if (source['type'] === 'table' && typeof source['name'] === 'string') names.add(source['name'])
      for (const member of inner) sources.push(source[member])
    }
  }
  return [...names]
}
