import { Type } from 'typebox'
import type { IngestCatalog } from '../catalog/catalog.ts'
import type { DiskSize } from '../model/disk-size.ts'
import type { Entity } from '../model/entity.ts'
import { instantOrNull } from '../model/instant.ts'
import type { NextTokens } from '../model/next-token.ts'
import type { Page, PageRequest } from '../model/page.ts'
import { entitiesAfter } from './entities.ts'
import { orNull, pageOf, pageSchema } from './list-page.ts'

export const StorageAnswer = Type.Object(
  {
    entity: Type.String(),
    files: Type.Integer({
      description: 'Files of rows and of hours, each with its index; on a cluster segments of Druid.',
    }),
    rows: orNull(Type.Integer(), {
      description:
        'The rows in these files, hours not counted, also expired ones that are not removed yet; null on a cluster.',
    }),
    bytes: Type.Integer({
      description:
        'The size of these files, and of those with hours of expired rows; on a cluster of one replica of each segment.',
    }),
    first_date: orNull(Type.String(), {
      description: 'The time of the oldest row; on a cluster the start of the first segment. null without files.',
    }),
    last_date: orNull(Type.String(), {
      description: 'The time of the newest row; on a cluster the end of the last segment. null without files.',
    }),
  },
  { description: 'The sealed files of an entity. Its newest rows are still in the journal.' },
)
export type StorageAnswer = Type.Static<typeof StorageAnswer>

export const StoragePage = pageSchema(StorageAnswer)

export interface StorageListParts {
  readonly ingests: Pick<IngestCatalog, 'entities'>
  /** By entity id; an entity without files may be absent. */
  readonly sizes: (entityIds: readonly number[], signal: AbortSignal) => Promise<ReadonlyMap<number, DiskSize>>
  readonly tokens: NextTokens
}

const noFiles: DiskSize = { files: 0, rows: 0, bytes: 0, firstMs: null, lastMs: null }

/** The size of each entity on disk. */
export class StorageList {
  readonly #parts: StorageListParts

  constructor(parts: StorageListParts) {
    this.#parts = parts
  }

  /** Ordered by name. Throws Problem `invalid_token`, on a cluster `overloaded` or `unavailable`, and the signal's reason when it is aborted. */
  async list(request: PageRequest, signal: AbortSignal): Promise<Page<StorageAnswer>> {
    const { ingests, sizes, tokens } = this.#parts
    const { Items, NextToken } = await pageOf<Entity>(request, {
      tokens,
      scope: ['/admin/storage'],
      keyOf: ({ name }) => name,
      itemsAfter: (after, limit) => entitiesAfter(ingests, after, limit),
    })
    const ids = Items.map(({ id }) => id)
    const found = ids.length === 0 ? new Map<number, DiskSize>() : await sizes(ids, signal)
    return { Items: Items.map(({ id, name }) => answerOf(name, found.get(id) ?? noFiles)), NextToken }
  }
}

function answerOf(entity: string, { files, rows, bytes, firstMs, lastMs }: DiskSize): StorageAnswer {
  return { entity, files, rows, bytes, first_date: instantOrNull(firstMs), last_date: instantOrNull(lastMs) }
}
