import { Type } from 'typebox'
import type { IngestCatalog } from '../catalog/catalog.ts'
import { compareCodePoints } from '../lib/compare-code-points.ts'
import { type Entity, timeField } from '../model/entity.ts'
import { fieldTypes, seriesRoles } from '../model/field.ts'
import type { NextTokens } from '../model/next-token.ts'
import { type Page, type PageRequest, pageOf, pageSchema } from './page.ts'

const EntityAnswer = Type.Object(
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
  },
  { description: 'A queryable series data set.' },
)
type EntityAnswer = Type.Static<typeof EntityAnswer>

export const EntityPage = pageSchema(EntityAnswer)

export interface EntityAdminParts {
  readonly ingests: Pick<IngestCatalog, 'entities'>
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
      itemsAfter: async (after, limit) => {
        const all = await ingests.entities()
        return all.filter(({ name }) => after === null || compareCodePoints(name, after) > 0).slice(0, limit)
      },
    })
    return { ...page, Items: page.Items.map(answerOf) }
  }
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
  }
}
