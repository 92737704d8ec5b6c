// The tags of an entity, page by page.
import { Type } from 'typebox'
import type { Admission } from '../admission/admission.ts'
import { inTime } from '../admission/in-time.ts'
import type { Reader } from '../admission/reader.ts'
import type { Definitions } from '../catalog/definitions.ts'
import { systemTimer, type Timer } from '../lib/timer.ts'
import type { NextTokens, TokenScope } from '../model/next-token.ts'
import { type PageRequest, pageLimit } from '../model/page.ts'
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

export interface TagListParts {
  readonly definitions: Pick<Definitions, 'entity' | 'entities' | 'metadataEntity'>
  readonly runner: Pick<PlanRunner, 'tags'>
  readonly admission: Admission
  readonly tokens: NextTokens
  readonly limits: { readonly queryTimeMs: number; readonly pageBytes: number }
  readonly timer?: Timer
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
    const { definitions, admission, runner, tokens, limits, timer = systemTimer } = this.#parts
    const entity = readableEntity(definitions, entityName, reader)
    const { prefix = '', id_name_field, token } = request
    const faults = new Faults()
    const selected = {
      entity: entityName,
      prefixes: [prefix],
      ...(id_name_field === undefined ? {} : { id_name_field }),
    }
    const selection = readSelection(entity, selected, { numericOnly: false, tagsInOutput: false }, faults)
    faults.throwIfAny()
    const limit = pageLimit(request)
    const scope: TokenScope = ['/consumer/data/tags', entity.id, selection.tags[0].name, prefix]
    const after = token === undefined ? null : tokens.decode(scope, token)
    const { queryTimeMs, pageBytes } = limits
    const { tags, more } = await inTime({ signal, queryTimeMs, timer, advice }, async ({ signal: deadline }) => {
      const leave = await admission.enter('data', reader.id, deadline)
      const page: TagPage = await runner.tags({ selection, after, limit, bytesMax: pageBytes }, deadline).finally(leave)
      return { ...page, release: () => undefined }
    })
    const last = tags.at(-1)
    return { Items: [...tags], NextToken: more && last !== undefined ? tokens.encode(scope, last) : null }
  }
}
