// The definitions that the target needs before rows can be copied. The plan is made as a whole, and refused as a whole if source and target disagree.
import type { EntityAnswer, IngestAnswer, NewIngest } from '../../client/answers.ts'
import type { TidemarkClient } from '../../client/client.ts'
import type { EntityField } from '../../model/entity.ts'
import { selfEntity } from '../../model/self-history.ts'
import { allItems } from '../all-items.ts'
import { CommandError } from '../command-error.ts'

/** The parts of an ingest that a copy uses; a stand-in has no others. */
export type DefinedIngest = Omit<IngestAnswer, 'created' | 'entity'> & { readonly entity?: string | null }

/** The definitions of one service. */
export interface ServiceDefinitions {
  readonly ingests: readonly DefinedIngest[]
  readonly entities: readonly EntityAnswer[]
  /** Number of rows by entity; an entity that is missing here has none. */
  readonly rows: ReadonlyMap<string, number>
}

/** A name to copy, and the ingest that its rows or items go to. */
export interface CopyRoute {
  readonly name: string
  readonly kind: 'series' | 'metadata'
  readonly alias: string
  /** A remark about the choice of the ingest for the user; null if none is needed. */
  readonly note: string | null
}

export interface DefinitionPlan {
  readonly create: readonly NewIngest[]
  readonly use: readonly string[]
  readonly retain: readonly { readonly entity: string; readonly retention: string | null }[]
  /** The reading settings of entities for which the target has none. */
  readonly read: readonly (Reading & { readonly entity: string })[]
  /** Ingests that are blocked at the source. At the target they accept rows until all are copied. */
  readonly block: readonly { readonly alias: string; readonly reason: string | null }[]
  readonly routes: readonly CopyRoute[]
}

export async function readDefinitions(client: TidemarkClient): Promise<ServiceDefinitions> {
  const ingests = await allItems((page) => client.ingests(page))
  const entities = await allItems((page) => client.adminEntities(page))
  const rows = new Map((await client.entities()).map(({ entity, rows: count }) => [entity, count]))
  return { ingests, entities, rows }
}

type Defined = Pick<DefinedIngest, 'kind' | 'entity' | 'duplicates' | 'unknown' | 'lines' | 'fields'>

const shown = (value: unknown): string =>
  value === undefined || value === null ? 'none' : typeof value === 'object' ? JSON.stringify(value) : String(value)

/** The differences between two definitions of an ingest, each as a phrase. */
export function differencesOf(source: Defined, target: Defined): string[] {
  const found: string[] = []
  const compare = (what: string, here: unknown, there: unknown): void => {
    if (shown(here) !== shown(there))
      found.push(`${what} is ${shown(here)} at the source and ${shown(there)} at the target`)
  }
  compare('its kind', source.kind, target.kind)
  compare('its entity', source.entity, target.entity)
  compare('duplicates', source.duplicates, target.duplicates)
  // A substitute for a deleted ingest has no rules.
  if (source.unknown !== undefined) compare('unknown', source.unknown, target.unknown)
  if (source.lines !== undefined) compare('lines', source.lines, target.lines)
  const there = new Map(target.fields.map((field) => [field.name, field]))
  for (const field of source.fields) {
    const other = there.get(field.name)
    there.delete(field.name)
    if (other === undefined) found.push(`the field ${field.name} is missing at the target`)
    else {
      for (const part of ['source', 'type', 'role', 'coding'] as const)
        compare(`the ${part} of the field ${field.name}`, field[part], other[part])
    }
  }
  for (const name of there.keys()) found.push(`the field ${name} is missing at the source`)
  return found
}

/** Fields that rows added are defined like all others. */
const newIngest = ({ alias, kind, entity, fields, duplicates, unknown, lines }: DefinedIngest): NewIngest => ({
  alias,
  kind,
  fields: fields.map(({ added: _, ...field }) => field),
  ...(kind === 'series' && entity ? { entity } : {}),
  ...(kind === 'series' && duplicates ? { duplicates } : {}),
  ...(kind === 'series' && unknown ? { unknown } : {}),
  ...(kind === 'series' && lines ? { lines } : {}),
})

/** A substitute for the ingest of an entity whose ingests were deleted. */
function placeholderIngest({ entity, fields, duplicates }: EntityAnswer): DefinedIngest {
  return {
    alias: entity,
    kind: 'series',
    entity,
    fields: fields.map((field) => ({ ...field, source: field.name })),
    duplicates,
    state: 'active',
    reason: null,
    counters: { received: 0, stored: 0, rejected: 0, pending: 0 },
  }
}

function covers(ingest: DefinedIngest, fields: readonly EntityField[]): boolean {
  const names = new Set(ingest.fields.map(({ name }) => name))
  return fields.every(({ name }) => names.has(name))
}

/** A predicate for the names that are copied. `--entity` may name entities of series and metadata ingests; throws `CommandError` for other names. */
function chosenNames(source: ServiceDefinitions, wanted: readonly string[]): (name: string) => boolean {
  const tables = source.ingests.filter(({ kind }) => kind === 'metadata').map(({ alias }) => alias)
  const names = new Set([...source.entities.map(({ entity }) => entity), ...tables])
  const unknown = wanted.filter((name) => !names.has(name))
  if (unknown.length > 0) {
    throw new CommandError(`The source has no entity ${unknown.join(', ')}. It has: ${[...names].join(', ')}.`)
  }
  // The service's records about itself are not copied unless they are named.
  return (name) => (wanted.length === 0 ? name !== selfEntity : wanted.includes(name))
}

function routeOf(entity: EntityAnswer, feeding: readonly DefinedIngest[], orphan: boolean): CopyRoute {
  const full = feeding.filter((ingest) => covers(ingest, entity.fields))
  const [first] = full
  if (first === undefined) {
    throw new CommandError(
      `No ingest of the entity ${entity.entity} has all of its fields, so its rows cannot be pushed completely. ` +
        `Add the missing fields to ${feeding[0]?.alias} with "tidemark ingests add-fields", at the source, and copy again.`,
    )
  }
  const choice = `its rows go to the ingest ${first.alias}, the first of ${feeding.length} that has all fields`
  const stand = `it has no ingest at the source; its rows go to an ingest with the entity's name, which you may delete afterwards`
  const note = orphan ? stand : feeding.length > 1 ? choice : null
  return { name: entity.entity, kind: 'series', alias: first.alias, note }
}

/** The definitions to create at the target. Throws `CommandError` with every difference if source and target disagree. */
export function planDefinitions(
  source: ServiceDefinitions,
  target: ServiceDefinitions,
  wanted: readonly string[],
): DefinitionPlan {
  const chosen = chosenNames(source, wanted)
  const entities = source.entities.filter(({ entity }) => chosen(entity))
  const orphans = entities.filter(({ ingests }) => ingests.length === 0).map(placeholderIngest)
  const isChosen = ({ kind, entity, alias }: DefinedIngest) => chosen(kind === 'series' ? (entity ?? alias) : alias)
  const ingests = [...source.ingests.filter(isChosen), ...orphans]
  const known = new Map(target.ingests.map((ingest) => [ingest.alias, ingest]))
  const faults = ingests.flatMap((ingest) => {
    const other = known.get(ingest.alias)
    if (other === undefined) return []
    const states = ingest.state === 'active' && other.state === 'blocked' ? ['it is blocked only at the target'] : []
    return [...differencesOf(ingest, other), ...states].map((fault) => `${ingest.alias}: ${fault}`)
  })
  const retain = entities.flatMap(({ entity, retention }) => {
    const there = target.entities.find((other) => other.entity === entity)?.retention ?? null
    if (there === retention) return []
    if (there === null && (target.rows.get(entity) ?? 0) === 0) return [{ entity, retention }]
    faults.push(`${entity}: its retention is ${shown(retention)} at the source and ${shown(there)} at the target`)
    return []
  })
  if (faults.length > 0) {
    throw new CommandError(
      `The definitions of the target and the source differ; nothing was copied.\n${faults.join('\n')}`,
    )
  }
  const feeding = (name: string) => ingests.filter(({ kind, entity }) => kind === 'series' && entity === name)
  const tables = ingests.filter(({ kind }) => kind === 'metadata').map(({ alias }) => alias)
  return {
    create: ingests.filter(({ alias }) => !known.has(alias)).map(newIngest),
    use: ingests.filter(({ alias }) => known.has(alias)).map(({ alias }) => alias),
    retain,
    read: entities
      .filter(({ entity }) => !isReadingSet(target.entities.find((other) => other.entity === entity)))
      .filter(isReadingSet)
      .map(({ entity, time_zone, shapes, max_gaps, shape_from }) => {
        return { entity, time_zone, shapes, max_gaps, shape_from }
      }),
    block: ingests
      .filter(({ state }) => state === 'blocked')
      .map(({ alias, reason }) => ({ alias, reason: reason ?? null })),
    routes: [
      ...entities.map((entity) =>
        routeOf(
          entity,
          feeding(entity.entity),
          orphans.some(({ alias }) => alias === entity.entity),
        ),
      ),
      ...tables.map((name) => ({ name, kind: 'metadata' as const, alias: name, note: null })),
    ],
  }
}

type Reading = Pick<EntityAnswer, 'time_zone' | 'shapes' | 'max_gaps' | 'shape_from'>

function isReadingSet(reading: Reading | undefined): boolean {
  if (reading === undefined) return false
  const { time_zone, shapes, max_gaps, shape_from } = reading
  return time_zone !== null || shape_from !== null || Object.keys({ ...shapes, ...max_gaps }).length > 0
}

/** Creates what is missing. Ingests are blocked only after the rows are copied. */
export async function makeDefinitions(target: TidemarkClient, { create, retain, read }: DefinitionPlan): Promise<void> {
  for (const ingest of create) await target.createIngest(ingest)
  for (const { entity, retention } of retain) await target.retain(entity, retention)
  for (const { entity, ...reading } of read) await target.setReading(entity, reading)
}

export async function blockIngests(target: TidemarkClient, { block }: DefinitionPlan): Promise<void> {
  for (const { alias, reason } of block) {
    await target.changeIngest(alias, { state: 'blocked', ...(reason === null ? {} : { reason }) })
  }
}

/** Unblocks ingests while rows are copied into them, including those that an earlier copy blocked. */
export async function unblockIngests(target: TidemarkClient, { block }: DefinitionPlan): Promise<void> {
  for (const { alias } of block) await target.changeIngest(alias, { state: 'active' })
}
