import type { Entity } from '../../model/entity.ts'
import { isEmpty, isNode, listOf, memberOf, type Node } from './json-nodes.ts'

const longTypes: ReadonlySet<string> = new Set(['long', 'boolean', 'timestamp'])

/** The columns that hold longs in each entity, and are no virtual ones. */
export function longsOf(query: Node, entities: readonly Entity[]): ReadonlySet<string> {
  const fields = entities.flatMap((entity) => entity.fields)
  const names = new Set(fields.filter(({ type }) => longTypes.has(type)).map(({ name }) => name))
  for (const { name, type } of fields) if (!longTypes.has(type)) names.delete(name)
  for (const column of listOf(query['virtualColumns'])) names.delete(String(memberOf(column, 'name')))
  return names
}

/**
 * Of rows that are not published yet Druid takes nulls for equal to a text that is no long: the filter is written as one that holds for none,
 * and is unknown of null, as Druid has it of published ones.
 */
export function withoutNulls(value: unknown, longs: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutNulls(item, longs))
  if (!isNode(value)) return value
  const sought = soughtIn(value)
  const column = String(value['dimension'])
  if (sought !== null && longs.has(column) && isEmpty(value['extractionFn']) && !isLong(sought)) {
    const equals = { type: 'equals', column, matchValueType: 'LONG' }
    return { type: 'and', fields: [0, 1].map((matchValue) => ({ ...equals, matchValue })) }
  }
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withoutNulls(item, longs)]))
}

/** The one text that a filter looks for; null for any other. */
function soughtIn(filter: Node): string | null {
  const { type, value, values } = filter
  const sought = type === 'selector' ? value : type === 'in' && listOf(values).length === 1 ? listOf(values)[0] : null
  return sought === null || sought === undefined ? null : String(sought)
}

const decimalForm = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/

function isLong(text: string): boolean {
  if (/^[+-]?\d+$/.test(text)) return BigInt.asIntN(64, BigInt(text.replace('+', ''))) === BigInt(text.replace('+', ''))
  return decimalForm.test(text) && Number.isSafeInteger(Number(text))
}
