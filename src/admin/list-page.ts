import { type TSchema, type TSchemaOptions, Type } from 'typebox'
import { compareCodePoints } from '../lib/compare-code-points.ts'
import type { NextTokens, TokenScope } from '../model/next-token.ts'
import { type Page, type PageLimits, type PageRequest, pageLimit } from '../model/page.ts'

/** The schema or null. */
export function orNull<Schema extends TSchema>(schema: Schema, options: TSchemaOptions = {}) {
  return Type.Union([schema, Type.Null()], options)
}

export function pageSchema<Item extends TSchema>(item: Item) {
  return Type.Object({
    Items: Type.Array(item),
    NextToken: Type.Union([Type.String(), Type.Null()], {
      description: 'Send it as the query parameter `NextToken` to get the next page. It is null on the last page.',
    }),
  })
}

export interface ListParts<Item> {
  readonly tokens: NextTokens
  readonly scope: TokenScope
  readonly keyOf: (item: Item) => string
  /** At most `limit` items after the one with this key (null: from the first), ordered by key. */
  readonly itemsAfter: (after: string | null, limit: number) => Promise<readonly Item[]>
  readonly limits?: PageLimits
}

/** The next items of a complete list, by name in code point order. */
export function afterName<Item extends { readonly name: string }>(
  items: readonly Item[],
  after: string | null,
  limit: number,
): readonly Item[] {
  return items.filter(({ name }) => after === null || compareCodePoints(name, after) > 0).slice(0, limit)
}

/** One page of a list ordered by a key. Throws Problem `invalid_token` for a token of another list. */
export async function pageOf<Item>(request: PageRequest, list: ListParts<Item>): Promise<Page<Item>> {
  const limit = pageLimit(request, list.limits)
  const after = request.token === undefined ? null : list.tokens.decode(list.scope, request.token)
  const items = await list.itemsAfter(after, limit + 1)
  const Items = items.slice(0, limit)
  const last = Items.at(-1)
  const isCut = items.length > limit && last !== undefined
  return { Items, NextToken: isCut ? list.tokens.encode(list.scope, list.keyOf(last)) : null }
}
