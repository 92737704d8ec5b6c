// Druid's native queries: over the entities that they name, as far as the reader may read them.
import type { Engine, Language, QueryContext } from '../admission/queries.ts'
import type { Definitions } from '../catalog/definitions.ts'
import type { Entity } from '../model/entity.ts'
import { isNode, memberOf } from './parse/json-reader.ts'

export interface NativeBody {
  /** As it came: its whole numbers have all their digits. */
  readonly bytes: Uint8Array
  /** What it says of the query. */
  readonly query: unknown
}

/** Where the rows of entities are: what answers there. */
export interface NativeEngines {
  /** Throws the Problems of what is wrong with the query, as far as it is read before it has a place. */
  of(
    bytes: Uint8Array,
    entities: readonly Entity[],
    context: QueryContext,
  ): readonly Engine[] | Promise<readonly Engine[]>
}

/**
 * Entities that the caller may not read are as if unknown. Its Problems are `invalid_request`, `unsupported_native_query` and `unknown_entity`
 * with the path of the fault, and `too_many_buckets`.
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

/** The query's own `timeout`, in milliseconds, 0 where it has none; one that is no number is told of when the query is read. */
const timeoutOf = (query: unknown): number => Number(memberOf(memberOf(query, 'context'), 'timeout') ?? 0)

/** The members of a data source that hold others. */
const inner = ['left', 'right', 'base', 'dataSources', 'query', 'dataSource'] as const

/** The names that a query gives as data sources, once each, be the rest of it valid or not. */
function entityNames(query: unknown): readonly string[] {
  const names = new Set<string>()
  // On a stack of its own: how deep a query is, is the caller's doing.
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
