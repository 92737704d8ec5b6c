import { compareCodePoints } from '../../lib/compare-code-points.ts'
import { howManyFit } from '../../lib/how-many-fit.ts'
import { Problem } from '../../model/problem.ts'
import type { TagPage, TagRequest } from '../series-store.ts'
import { columnValues, type QueryTarget } from './druid-query.ts'
import { allOf, intervalsOf, isNull, type NativeFilter, not } from './native-query.ts'
import { selectionFilter } from './selection-filter.ts'

/** The most tags with characters from U+E000 on that are read in order to sort them. */
const upperTagsMax = 100_000

/**
 * The tags that have an item, by code point. Druid sorts strings by UTF-16, where characters beyond U+FFFF come before those from U+E000 on. The order of
 * two strings can differ only if both have such characters, so only these are sorted here.
 */
export async function runTags(target: QueryTarget, request: TagRequest): Promise<TagPage> {
  const { after, limit } = request
  const page = await valuesBehind(target, request, after, limit + 1, null)
  if (![...page, after ?? ''].some(hasUpper)) return cut(page, request)
  const lower = await valuesBehind(target, request, after, limit + 1, not(upper(request)))
  const others = await valuesBehind(target, request, null, upperTagsMax + 1, upper(request))
  if (others.length > upperTagsMax) {
    const detail = `More than ${upperTagsMax} tags have characters from U+E000 on, which Druid sorts differently. Use a longer prefix.`
    throw new Problem('result_too_large', detail)
  }
  const wanted = others.filter((tag) => after === null || compareCodePoints(tag, after) > 0)
  return cut([...lower, ...wanted].sort(compareCodePoints).slice(0, limit + 1), request)
}

async function valuesBehind(
  target: QueryTarget,
  { selection }: TagRequest,
  after: string | null,
  limit: number,
  also: NativeFilter | null,
): Promise<readonly string[]> {
  const column = selection.tags[0].name
  const behind = after === null ? null : isBehind(column, after)
  const filter = allOf([not(isNull(column)), selectionFilter(selection), behind, also])
  const intervals = intervalsOf(selection.sinceMs ?? Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY)
  const values: string[] = []
  for await (const value of columnValues(target, { column, intervals, filter, after, limit })) values.push(value)
  return values
}

/** As many values as fit in the page, at least one. */
function cut(values: readonly string[], { limit, bytesMax }: TagRequest): TagPage {
  const bytes = values.slice(0, limit).map((value) => Buffer.byteLength(value))
  const count = howManyFit(bytes, bytesMax)
  return { tags: values.slice(0, count), more: values.length > count }
}

function hasUpper(text: string): boolean {
  return /[\u{e000}-\u{10ffff}]/u.test(text)
}

function upper({ selection }: TagRequest): NativeFilter {
  return { type: 'regex', dimension: selection.tags[0].name, pattern: '[\\x{e000}-\\x{10ffff}]' }
}

function isBehind(column: string, value: string): NativeFilter {
  return { type: 'range', column, matchValueType: 'STRING', lower: value, lowerOpen: true }
}
