import { Type } from 'typebox'
import type { IngestCatalog, StateSources } from '../catalog/catalog.ts'
import { given } from '../lib/given.ts'
import { didYouMean } from '../lib/likely-word.ts'
import { parseDuration } from '../model/duration.ts'
import { type Entity, entityField, type ShapeFrom as From, fieldsOfRole, shapes, timeField } from '../model/entity.ts'
import { fieldTypes, seriesRoles } from '../model/field.ts'
import type { NextTokens } from '../model/next-token.ts'
import type { Page, PageRequest } from '../model/page.ts'
import { invalidRequest, Problem } from '../model/problem.ts'
import { qualityCodings } from '../model/quality.ts'
import { afterName, orNull, pageOf, pageSchema } from './list-page.ts'

const Shapes = Type.Record(Type.String(), Type.Enum([...shapes]), {
  description:
    'How the value of a metric changes from one item to the next: along a `line`, or as a `step` that holds it. Without an entry: `line` for doubles, `step` for all other types.',
  examples: [{ V: 'step' }],
})

const MaxGaps = Type.Record(Type.String(), Type.String(), {
  description:
    'How far from an item the value of a metric is known, as an ISO 8601 duration. Without an entry there is no limit.',
  examples: [{ V: 'PT1H' }],
})

const ShapeFrom = Type.Object(
  { table: Type.String(), attribute: Type.String() },
  {
    additionalProperties: false,
    description:
      'The metadata attribute that says the shape of each tag, in the item of which the tag is the identifier: `line` or `step`, or true for `step` and false for `line`.',
    examples: [{ table: 'tags', attribute: 'shape' }],
  },
)

export const EntityAnswer = Type.Object(
  {
    entity: Type.String(),
    ingests: Type.Array(Type.String(), { description: 'The ingests that feed it.' }),
    time_field: Type.String(),
    fields: Type.Array(
      Type.Object({
        name: Type.String(),
        type: Type.Enum([...fieldTypes]),
        role: Type.Enum([...seriesRoles]),
        coding: Type.Optional(Type.Enum([...qualityCodings], { description: 'Of a quality; left out: `opcda`.' })),
      }),
    ),
    duplicates: Type.Enum(['keep', 'replace']),
    retention: orNull(Type.String(), {
      description: 'Older items expire, in whole UTC days; null keeps items forever.',
    }),
    hours_retention: Type.Optional(
      orNull(Type.String(), {
        description: 'How long the hours of expired items are kept; null means forever. Left out if none are kept.',
      }),
    ),
    time_zone: orNull(Type.String(), { description: 'The time zone of buckets if a request names none; null: UTC.' }),
    shapes: Shapes,
    max_gaps: MaxGaps,
    shape_from: orNull(ShapeFrom),
  },
  { title: 'Entity', description: 'A queryable series data set.' },
)
export type EntityAnswer = Type.Static<typeof EntityAnswer>

export const EntityPage = pageSchema(EntityAnswer)

export const ChangeEntity = Type.Object(
  {
    retention: Type.Optional(
      orNull(Type.String({ examples: ['P90D'] }), {
        description:
          'The age up to which items are kept, as an ISO 8601 duration; null keeps them forever. Older items are never shown again.',
      }),
    ),
    hours_retention: Type.Optional(
      orNull(Type.String({ examples: ['P10Y'] }), {
        description:
          'How long the hours of expired items are kept, as an ISO 8601 duration that is longer than `retention`; null keeps them forever, `none` keeps no hours and removes existing ones.',
      }),
    ),
    time_zone: Type.Optional(
      orNull(Type.String({ examples: ['Europe/Madrid'] }), {
        description: 'An IANA time zone: buckets begin by its clocks if a request names no zone. null: UTC.',
      }),
    ),
    shapes: Type.Optional(orNull(Shapes)),
    max_gaps: Type.Optional(orNull(MaxGaps)),
    shape_from: Type.Optional(orNull(ShapeFrom)),
  },
  { additionalProperties: false, description: 'The changes to an entity.' },
)
export type ChangeEntity = Type.Static<typeof ChangeEntity>

export interface EntityAdminParts {
  readonly ingests: Pick<IngestCatalog, 'entities' | 'metadataEntities' | 'setReading'>
  readonly isTimeZone: (name: string) => boolean
  /** Called after a change of an entity's reading, so that it applies to all queries. */
  readonly changed: () => Promise<void>
  readonly retentions: {
    /** Returns false when there is no such entity. */
    set(entity: string, retention?: string | null, hoursRetention?: string | null): Promise<boolean>
  }
  readonly tokens: NextTokens
}

export class EntityAdmin {
  readonly #parts: EntityAdminParts

  constructor(parts: EntityAdminParts) {
    this.#parts = parts
  }

  /** Ordered by name. */
  async list(request: PageRequest): Promise<Page<EntityAnswer>> {
    const { ingests, tokens } = this.#parts
    const page = await pageOf<Entity>(request, {
      tokens,
      scope: ['/admin/entities'],
      keyOf: ({ name }) => name,
      itemsAfter: (after, limit) => entitiesAfter(ingests, after, limit),
    })
    return { ...page, Items: page.Items.map(answerOf) }
  }

  /** Throws Problem `not_found`, `invalid_request` for invalid values, `unavailable` while the store restarts. */
  async change(
    name: string,
    { retention, hours_retention: hoursRetention, ...reading }: ChangeEntity,
  ): Promise<EntityAnswer> {
    const { ingests, retentions, changed } = this.#parts
    const known = await ingests.entities()
    const before = known.find((one) => one.name === name)
    if (before === undefined) throw unknownEntity(name, known)
    await this.#checkReading(before, reading)
    const isKept = retention === undefined && hoursRetention === undefined
    const isThere = isKept || (await retentions.set(name, retention, hoursRetention))
    const { time_zone: timeZone, shapes, max_gaps: maxGaps, shape_from: shapeFrom } = reading
    const change = given({ timeZone, shapes, maxGaps, shapeFrom })
    if (isThere && Object.keys(change).length > 0) {
      await ingests.setReading(before.id, change)
      await changed()
    }
    const entities = await ingests.entities()
    const entity = entities.find(({ id }) => id === before.id)
    if (entity === undefined || !isThere) throw unknownEntity(name, entities)
    return answerOf(entity)
  }

  async #checkReading(entity: Entity, reading: Omit<ChangeEntity, 'retention' | 'hours_retention'>): Promise<void> {
    const { time_zone, shapes, max_gaps, shape_from } = reading
    if (time_zone != null && !this.#parts.isTimeZone(time_zone)) {
      throw invalidRequest('time_zone', 'must be an IANA time zone such as Europe/Madrid, or null for UTC')
    }
    const metrics = fieldsOfRole(entity, 'metric').map((metric) => metric.name)
    for (const [path, named] of Object.entries({ shapes, max_gaps })) {
      const stranger = Object.keys(named ?? {}).find((metric) => !metrics.includes(metric))
      if (stranger === undefined) continue
      throw invalidRequest(
        path,
        `"${stranger}" is not a metric of "${entity.name}"; its metrics are ${metrics.join(', ')}`,
      )
    }
    for (const [metric, gap] of Object.entries(max_gaps ?? {})) {
      if (parseDuration(gap) !== null) continue
      throw invalidRequest('max_gaps', `of "${metric}" must be an ISO 8601 duration such as PT1H for an hour`)
    }
    if (shape_from != null) await this.#checkShapeFrom(shape_from)
  }

  async #checkShapeFrom({ table, attribute }: From): Promise<void> {
    const tables = await this.#parts.ingests.metadataEntities()
    const found = tables.find(({ name }) => name === table)
    if (found === undefined) {
      const names = tables.map(({ name }) => name)
      throw invalidRequest('shape_from', `there is no metadata table "${table}".${didYouMean(table, names)}`)
    }
    const attributes = found.fields.filter(({ role }) => role === 'attribute').map(({ name }) => name)
    if (attributes.includes(attribute)) return
    throw invalidRequest('shape_from', `"${table}" has no attribute "${attribute}"; it has ${attributes.join(', ')}`)
  }
}

/** The state of an entity for the audit log; null when it does not exist. */
export async function entityState({ ingests }: StateSources, name: string): Promise<unknown> {
  const entity = (await ingests.entities()).find((one) => one.name === name)
  return entity === undefined ? null : answerOf(entity)
}

/** A page of series entities, ordered by name. */
export async function entitiesAfter(
  ingests: Pick<IngestCatalog, 'entities'>,
  after: string | null,
  limit: number,
): Promise<readonly Entity[]> {
  return afterName(await ingests.entities(), after, limit)
}

function unknownEntity(name: string, entities: readonly Entity[]): Problem {
  const names = entities.map((entity) => entity.name)
  return new Problem(
    'not_found',
    `There is no series entity "${name}".${didYouMean(name, names)} GET /admin/entities lists all entities.`,
  )
}

function answerOf(entity: Entity): EntityAnswer {
  return {
    entity: entity.name,
    ingests: [...entity.ingests],
    time_field: timeField(entity).name,
    fields: entity.fields.map((field) => {
      const { role } = field
      if (role === 'index' || role === 'attribute') throw new Error('a series entity has no field of a metadata item')
      return { ...entityField(field), role }
    }),
    duplicates: entity.duplicates,
    retention: entity.retention,
    ...(entity.hours && { hours_retention: entity.hours.retention }),
    time_zone: entity.reading?.timeZone ?? null,
    shapes: { ...entity.reading?.shapes },
    max_gaps: { ...entity.reading?.maxGaps },
    shape_from: entity.reading?.shapeFrom ?? null,
  }
}
