import { exactLong } from '../compile/equality-filter.ts'
import { isEmpty, isNode, listOf, memberOf, type Node } from '../parse/json-reader.ts'

type NumberType = 'LONG' | 'DOUBLE'

/** The number types of fields, virtual columns and inline rows. */
const numberTypes: ReadonlyMap<unknown, NumberType> = new Map([
  ['long', 'LONG'],
  ['boolean', 'LONG'],
  ['timestamp', 'LONG'],
  ['double', 'DOUBLE'],
  ['LONG', 'LONG'],
  ['DOUBLE', 'DOUBLE'],
  ['FLOAT', 'DOUBLE'],
])

/** Columns of the data source that have a single numeric type, and numeric virtual columns. A union may list a column several times. */
export function numbersOf(
  query: Node,
  columns: readonly { readonly name: string; readonly type: string }[],
): ReadonlyMap<string, NumberType> {
  const numbers = new Map<string, NumberType>()
  for (const { name, type } of columns) setType(numbers, name, numberTypes.get(type))
  for (const { name, type } of columns) if (numberTypes.get(type) !== numbers.get(name)) numbers.delete(name)
  for (const column of listOf(query['virtualColumns']))
    setType(numbers, String(memberOf(column, 'name')), numberTypes.get(memberOf(column, 'outputType')))
  return numbers
}

function setType(numbers: Map<string, NumberType>, name: string, type: NumberType | undefined): void {
  if (type === undefined) numbers.delete(name)
  else numbers.set(name, type)
}

/**
 * When Druid evaluates row by row, it treats null as equal to a text that is not a number. Such a filter is replaced by one that matches nothing and
 * is unknown for null, as Druid treats it elsewhere.
 */
export function withoutNulls(value: unknown, numbers: ReadonlyMap<string, NumberType>): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutNulls(item, numbers))
  if (!isNode(value)) return value
  const sought = soughtIn(value)
  const column = String(value['dimension'])
  const type = numbers.get(column)
  if (sought !== null && type !== undefined && isEmpty(value['extractionFn']) && !isNumber[type](sought)) {
    const equals = { type: 'equals', column, matchValueType: type }
    return { type: 'and', fields: [0, 1].map((matchValue) => ({ ...equals, matchValue })) }
  }
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withoutNulls(item, numbers)]))
}

/** The single text that a filter searches for; null for other filters. */
function soughtIn(filter: Node): string | null {
  const { type, value, values } = filter
  const isOne = type === 'in' && new Set(listOf(values)).size === 1
  const sought = type === 'selector' ? value : isOne ? listOf(values)[0] : null
  return sought === null || sought === undefined ? null : String(sought)
}

/** A double in Java's notation. */
const doubleForm = /^[+-]?(NaN|Infinity|(\d+(?:\.\d*)?|\.\d+)([eE][+-]?\d+)?[fFdD]?|0[xX].*)$/

const isNumber: Readonly<Record<NumberType, (text: string) => boolean>> = {
  LONG: (text) => exactLong(text) !== null,
  DOUBLE: (text) => doubleForm.test(text),
}
