// The tags of an entity, page by page.
import { Type } from 'typebox'
import { listed, type QueriesParts } from '../admission/queries.ts'
import type { Reader } from '../admission/reader.ts'
import type { Definitions } from '../catalog/definitions.ts'
import type { NextTokens, TokenScope } from '../model/next-token.ts'
import { type PageRequest, pageLimit } from '../model/page.ts'
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

const advice = 'Ask for a longer prefix or a smaller limit.'

export class TagLists {
  readonly #parts: TagListParts

  constructor(parts: TagListParts) {
    this.#parts = parts
  }

  /**
   * Answers a query, which takes a place among the others. Throws Problem `forbidden`, `unknown_entity`, `invalid_request`,
   * `invalid_token`, `overloaded`, `query_timeout` or `unavailable`, and the signal's reason when it is aborted.
   */
  async list(entityName: string, request: TagListRequest, signal: AbortSignal, reader: Reader): Promise<TagPageAnswer> {
    const { definitions, runner, tokens, limits } = this.#parts
    const entity = readableEntity(definitions, entityName, reader)
    const { prefix = '', id_name_field, token } = request
    const faults = new Faults()
    const selected = {
      entity: entityName,
      prefixes: [prefix],
      ...(id_name_field === undefined ? {} : { id_name_field }),
    }
    const rules = { numericOnly: false, tagsInOutput: false, ofItems: false }
    // A tag whose items are all bad is there too.
    const { quality: _, ...selection } = readSelection(entity, selected, rules, faults)
    faults.throwIfAny()
    const limit = pageLimit(request)
    const scope: TokenScope = ['/consumer/data/tags', entity.id, selection.tags[0].name, prefix]
    const after = token === undefined ? null : tokens.decode(scope, token)
    const asked = { selection, after, limit, bytesMax: limits.pageBytes }
    const { tags, more } = await listed(this.#parts, { signal, reader, advice }, (deadline) =>
      runner.tags(asked, deadline),
    )
    const last = tags.at(-1)
    return { Items: [...tags], NextToken: more && last !== undefined ? tokens.encode(scope, last) : null }
  }
}
