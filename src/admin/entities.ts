import { Type } from 'typebox'
import type { IngestCatalog } from '../catalog/catalog.ts'
import { compareCodePoints } from '../lib/compare-code-points.ts'
import { mayBeMeant } from '../lib/likely-word.ts'
import { type Entity, timeField } from '../model/entity.ts'
import { fieldTypes, seriesRoles } from '../model/field.ts'
import type { NextTokens } from '../model/next-token.ts'
import type { Page, PageRequest } from '../model/page.ts'
import { Problem } from '../model/problem.ts'
import { pageOf, pageSchema } from './list-page.ts'

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
      }),
    ),
    duplicates: Type.Enum(['keep', 'replace']),
    retention: Type.Union([Type.String(), Type.Null()], {
      description: 'Older items expire, in whole UTC days; null keeps items for ever.',
    }),
  },
  { description: 'A queryable series data set.' },
)
export type EntityAnswer = Type.Static<typeof EntityAnswer>

export const EntityPage = pageSchema(EntityAnswer)

export const ChangeEntity = Type.Object(
  {
    retention: Type.Optional(
      Type.Union([Type.String({ examples: ['P90D'] }), Type.Null()], {
        description:
          'The age up to which items are kept, as an ISO 8601 duration; null keeps them for ever. Older items are never shown again.',
      }),
    ),
  },
  { additionalProperties: false, description: 'The changes to an entity.' },
)
export type ChangeEntity = Type.Static<typeof ChangeEntity>

export interface EntityAdminParts {
  readonly ingests: Pick<IngestCatalog, 'entities'>
  readonly retentions: {
    /** False when there is no such entity. */
    set(entity: string, retention: string | null): Promise<boolean>
  }
  readonly tokens: NextTokens
}

export class EntityAdmin {
  readonly #parts: EntityAdminParts

  constructor(parts: EntityAdminParts) {
    this.#parts = parts
  }

  /** By name. */
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

  /** Throws Problem `not_found`, `invalid_request` for what is no duration, `unavailable` while the store is started again. */
  async change(name: string, { retention }: ChangeEntity): Promise<EntityAnswer> {
    const { ingests, retentions } = this.#parts
    const isThere = retention === undefined || (await retentions.set(name, retention))
    const entities = await ingests.entities()
    const entity = entities.find((one) => one.name === name)
    if (entity === undefined || !isThere) throw unknownEntity(name, entities)
    return answerOf(entity)
  }
}

/** A page of series entities, by name. */
export async function entitiesAfter(
  ingests: Pick<IngestCatalog, 'entities'>,
  after: string | null,
  limit: number,
): Promise<readonly Entity[]> {
  const all = await ingests.entities()
  return all.filter(({ name }) => after === null || compareCodePoints(name, after) > 0).slice(0, limit)
}

function unknownEntity(name: string, entities: readonly Entity[]): Problem {
  const names = entities.map((entity) => entity.name)
  return new Problem(
    'not_found',
    `There is no series entity "${name}".${mayBeMeant(name, names)} GET /admin/entities lists all entities.`,
  )
}

function answerOf(entity: Entity): EntityAnswer {
  return {
    entity: entity.name,
    ingests: [...entity.ingests],
    time_field: timeField(entity).name,
    fields: entity.fields.map(({ name, type, role }) => {
      if (role === 'index' || role === 'attribute') throw new Error('a series entity has no field of a metadata item')
      return { name, type, role }
    }),
    duplicates: entity.duplicates,
    retention: entity.retention,
  }
}
