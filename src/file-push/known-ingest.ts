// The target of a push, as the service describes it to keys that may push to it.
import type { OwnIngestAnswer } from '../client/answers.ts'
import type { TidemarkClient } from '../client/client.ts'
import { ServiceError } from '../client/service-error.ts'
import { isRequired } from '../model/field.ts'
import type { CellType } from './cells.ts'

export type PropertyTypes = ReadonlyMap<string, CellType>

export interface KnownIngest {
  /** Types of the ingest's properties. */
  readonly types: PropertyTypes
  /** The properties that every row must have. */
  readonly required: readonly string[]
  /** The property of a row's time, and the date from which on rows are kept; null if all are kept, or if unknown. */
  readonly kept: RetainedSince | null
  /** The property of a row's time; null if there is none, or if unknown. */
  readonly timeProperty: string | null
  /** Whether unknown properties become fields. */
  readonly isOpen: boolean
  /** Whether each field of a line is a row. */
  readonly isByField: boolean
}

export interface RetainedSince {
  readonly timeProperty: string
  readonly fromMs: number
}

export const nothingKnown: KnownIngest = {
  types: new Map(),
  required: [],
  kept: null,
  timeProperty: null,
  isOpen: false,
  isByField: false,
}

type IngestFacts = Pick<OwnIngestAnswer, 'fields'> & Partial<Pick<OwnIngestAnswer, 'kept_from' | 'lines' | 'unknown'>>

/** The path is for another kind of key (one that may push, or an admin key), or the service does not have the path. */
function isElsewhere(error: unknown): boolean {
  return error instanceof ServiceError && (error.status === 403 || error.code === 'path_not_found')
}

function rowTargetOf({ fields, kept_from = null, lines = null, unknown }: IngestFacts): KnownIngest {
  const types = new Map(fields.map(({ source, type }) => [source, type]))
  const timeProperty = fields.find(({ role }) => role === 'time')?.source ?? null
  const kept = timeProperty === null || kept_from === null ? null : keptOf(timeProperty, kept_from)
  const required = fields.filter(isRequired).map(({ source }) => source)
  return { types, required, kept, timeProperty, isOpen: unknown === 'add', isByField: lines !== null }
}

const keptOf = (timeProperty: string, from: string): RetainedSince => ({ timeProperty, fromMs: Date.parse(from) })

/** Queries the definition, with a key that may push or an admin key. For other keys, whose pushes are refused, nothing is known. */
export async function knownIngest(
  client: Pick<TidemarkClient, 'ownIngest' | 'ingest'>,
  alias: string,
  signal?: AbortSignal,
): Promise<KnownIngest> {
  for (const ask of [() => client.ownIngest(alias, signal), () => client.ingest(alias, signal)]) {
    try {
      return rowTargetOf(await ask())
    } catch (error) {
      if (!isElsewhere(error)) throw error
    }
  }
  return nothingKnown
}
