// Lists the tags of an entity in pages.
import { Type } from 'typebox'
import { listed, type QueriesParts } from '../admission/queries.ts'
import type { Reader } from '../admission/reader.ts'
import type { Definitions } from '../catalog/definitions.ts'
import type { NextTokens, TokenScope } from '../model/next-token.ts'
import { type PageRequest, pageLimit } from '../model/page.ts'
import type { Selection } from '../model/plan.ts'
import type { TagPage } from '../store/series-store.ts'
import { Faults } from './faults.ts'
import type { PlanRunner } from './plan-runner.ts'
import { readableEntity } from './readable-entity.ts'
import { readSelection } from './selection.ts'

export const TagPageAnswer = Type.Object({
  Items: Type.Array(Type.String(), { description: 'Values of the tag that have items, in the order of code points.' }),
  NextToken: Type.Union([Type.String(), Type.Null()], {
    description: 'The query parameter `NextToken` of the next page; null on the last page.',
  }),
})
type TagPageAnswer = Type.Static<typeof TagPageAnswer>

export interface TagListRequest extends PageRequest {
  readonly prefix?: string | undefined
  readonly id_name_field?: string | undefined
}

export interface TagListParts extends QueriesParts {
  readonly definitions: Pick<Definitions, 'entity' | 'entities' | 'metadataEntity'>
  readonly runner: Pick<PlanRunner, 'tags'>
  readonly tokens: NextTokens
  readonly limits: { readonly queryTimeMs: number; readonly pageBytes: number }
}

/** A page with an explicit starting point. */
export interface TagPageRequest extends Pick<TagListRequest, 'prefix' | 'id_name_field' | 'limit'> {
  /** Restricts the page to those of these tags that have items. */
  readonly ids?: readonly string[]
  /** The page starts after this tag; null for the first page. */
  readonly after: string | null
}

const advice = 'Use a longer prefix or a smaller limit.'

export class TagLists {
  readonly #parts: TagListParts

  constructor(parts: TagListParts) {
    this.#parts = parts
  }

  /**
   * Returns a page of tags, as a query with a slot. Throws Problem `forbidden`, `unknown_entity`, `invalid_request`, `invalid_token`, `overloaded`,
   * `query_timeout` or `unavailable`, and the signal's reason when it is aborted.
   */
  async list(entityName: string, request: TagListRequest, signal: AbortSignal, reader: Reader): Promise<TagPageAnswer> {
    const { tokens } = this.#parts
    const { prefix = '', token } = request
    const selection = this.#selection(entityName, request, reader)
    const scope: TokenScope = ['/consumer/data/tags', selection.entityId, selection.tags[0].name, prefix]
    const after = token === undefined ? null : tokens.decode(scope, token)
    const { tags, more } = await this.#page(selection, { ...request, after }, signal, reader)
    const last = tags.at(-1)
    return { Items: [...tags], NextToken: more && last !== undefined ? tokens.encode(scope, last) : null }
  }

  /** Like `list`, starting after a tag. */
  async page(entityName: string, request: TagPageRequest, signal: AbortSignal, reader: Reader): Promise<TagPage> {
    return this.#page(this.#selection(entityName, request, reader), request, signal, reader)
  }

  #selection(entityName: string, request: Omit<TagPageRequest, 'after'>, reader: Reader): Selection {
    const { prefix = '', id_name_field, ids = [] } = request
    const entity = readableEntity(this.#parts.definitions, entityName, reader)
    const faults = new Faults()
    const selected = {
      entity: entityName,
      ids,
      prefixes: [prefix],
      ...(id_name_field === undefined ? {} : { id_name_field }),
    }
    const rules = { numericOnly: false, tagsInOutput: false, ofItems: false }
    // Includes tags all of whose items are bad.
    const { quality: _, ...selection } = readSelection(entity, selected, rules, faults)
    faults.throwIfAny()
    return selection
  }

  #page(
    selection: Selection,
    request: Pick<TagPageRequest, 'limit' | 'after'>,
    signal: AbortSignal,
    reader: Reader,
  ): Promise<TagPage> {
    const { runner, limits } = this.#parts
    const asked = { selection, after: request.after, limit: pageLimit(request), bytesMax: limits.pageBytes }
    return listed(this.#parts, { signal, reader, advice }, (deadline) => runner.tags(asked, deadline))
  }
}
