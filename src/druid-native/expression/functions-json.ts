// JSON functions. The value at a path keeps its JSON type unless the call specifies one.

import { doubleText } from '../../druid-sql/bind/conversions.ts'
import { isLooseJson } from '../../druid-sql/functions/jsons.ts'
import { bind } from '../../lib/bind-sql.ts'
import { type Sql, sql } from '../../lib/sql-text.ts'
import { failing } from '../../sql-engine/sql-engine.ts'
import {
  convert,
  type ElementType,
  elementOf,
  nullValue,
  plainType,
  plainTypes,
  type Typed,
  textToDouble,
  textToLong,
  textValue,
  toText,
  transform,
  typedNull,
} from '../values/typed.ts'
import { arrayValue, elementValue } from './arrays.ts'
import { type Call, type ExpressionFunction, type FunctionTable, many } from './call.ts'

const jsonValue = (json: Sql): Typed => ({ type: 'COMPLEX<json>', sql: json })

/** Converts a JSON null to an SQL null. */
const notNull = (json: Sql): Sql => bind(json, (x) => sql`CASE WHEN json_type(${x}) <> 'NULL' THEN ${x} END`)

const pathStep = /\.([^.[]*)|\[(-?\d+)\]|\['([^']*)'\]/y

/** Converts Druid's path notation to the engine's. */
function pathOf(call: Call, index: number): Sql {
  const text = call.literal(index)
  if (text === undefined) return call.unsupported('a path that is not a constant')
  if (typeof text !== 'string' || !text.startsWith('$'))
    return call.refuse('the path must be a string that begins with "$"')
  let path = '$'
  for (let at = 1; at < text.length; at = pathStep.lastIndex) {
    pathStep.lastIndex = at
    const step = pathStep.exec(text)
    if (step === null) return call.refuse(`"${text}" is not a path`)
    const name = step[1] ?? step[3]
    if (name === '') return call.refuse(`"${text}" is not a path`)
    if (name?.includes('"') || name?.includes('\\')) return call.unsupported(`the path "${text}"`)
    path += name === undefined ? `[${step[2]!.replace('-', '#-')}]` : `."${name}"`
  }
  return sql.literal(path)
}

/** The JSON at a path of a value; a value that is not JSON only has the root path. */
function extract(value: Typed, path: Sql): Sql {
  if (value.type === 'COMPLEX<json>' || elementOf(value.type) !== null)
    return notNull(sql`json_extract(${convert(value, 'COMPLEX<json>').sql}, ${path})`)
  return path.text === `'$'` ? sql`to_json(${value.sql})` : typedNull('COMPLEX<json>')
}

/** Converts a JSON scalar to a type; booleans become 1 and 0. */
function scalar(json: Sql, type: ElementType): Sql {
  const text = sql`json_extract_string(${json}, '$')`
  const truth = sql`CASE WHEN ${text} = 'true' THEN '1' ELSE '0' END`
  const plain = sql`CASE WHEN json_type(${json}) = 'BOOLEAN' THEN ${truth} ELSE ${text} END`
  if (type === 'LONG') return textToLong(plain)
  if (type === 'DOUBLE') return textToDouble(plain)
  return sql`CASE WHEN json_type(${json}) = 'DOUBLE' THEN ${doubleText(sql`CAST(${text} AS DOUBLE)`)} ELSE ${plain} END`
}

const items = (json: Sql): Sql => sql`json_extract(${json}, '$[*]')`

/** Whether an array contains only scalars. */
const isFlat = (json: Sql): Sql =>
  sql`len(list_filter(${items(json)}, lambda e: json_type(e) IN ('OBJECT', 'ARRAY'))) = 0`

/** Converts an array of scalars, or a single scalar, to an array of a type. */
export function jsonArray(json: Sql, element: ElementType): Typed {
  const list = (x: Sql): Sql =>
    sql`CASE json_type(${x}) WHEN 'OBJECT' THEN NULL WHEN 'ARRAY' THEN CASE WHEN ${isFlat(x)} THEN ${transform(items(x), (item) => scalar(item, element))} END
      ELSE CASE WHEN ${x} IS NOT NULL THEN [${scalar(x, element)}] END END`
  return arrayValue(element, bind(json, list))
}

/** A scalar or an array of scalars; null for any other JSON. */
function valueAt([value]: readonly Typed[], call: Call): Typed {
  const found = extract(value!, pathOf(call, 1))
  const type = call.literal(2)
  if (type === null) return untyped(found)
  const wanted = String(type).toUpperCase()
  if (wanted === 'COMPLEX<JSON>') return untyped(found)
  const known = plainType(wanted) ?? call.refuse(`the type must be one of ${plainTypes.join(', ')}`)
  const ofArray = elementOf(known)
  if (ofArray !== null) return jsonArray(found, ofArray)
  const several = sql`CAST(${failing('an array as a single value')} AS JSON)`
  const only = (x: Sql): Sql =>
    sql`CASE json_type(${x}) WHEN 'OBJECT' THEN NULL WHEN 'ARRAY' THEN CASE WHEN NOT ${isFlat(x)} THEN NULL WHEN json_array_length(${x}) = 1 THEN json_extract(${x}, '$[0]') ELSE ${several} END ELSE ${x} END`
  const element = known as ElementType
  return elementValue(
    element,
    bind(bind(found, only), (x) => scalar(x, element)),
  )
}

function untyped(found: Sql): Typed {
  return jsonValue(
    bind(
      found,
      (x) => sql`CASE json_type(${x}) WHEN 'OBJECT' THEN NULL WHEN 'ARRAY' THEN CASE WHEN ${isFlat(x)} THEN ${x} END
        WHEN 'BOOLEAN' THEN to_json(CASE WHEN CAST(${x} AS VARCHAR) = 'true' THEN 1 ELSE 0 END) ELSE ${x} END`,
    ),
  )
}

const parsing = (parse: (text: Sql) => Sql, ofOther: (call: Call) => Typed): ExpressionFunction => ({
  args: [1, 1],
  compile: ([text], call) => {
    if (text!.type === null) return nullValue
    return text!.type === 'STRING' ? jsonValue(notNull(bind(text!.sql, parse))) : ofOther(call)
  },
})

/** The member names of an object, or the indexes of an array. */
function keys([value]: readonly Typed[], call: Call): Typed {
  const found = value!.type === 'COMPLEX<json>' ? extract(value!, pathOf(call, 1)) : typedNull('COMPLEX<json>')
  const body = (x: Sql): Sql =>
    sql`CASE json_type(${x}) WHEN 'OBJECT' THEN json_keys(${x}) WHEN 'ARRAY' THEN list_transform(range(CAST(json_array_length(${x}) AS BIGINT)), lambda e: CAST(e AS VARCHAR)) END`
  return arrayValue('STRING', bind(found, body))
}

function object(args: readonly Typed[], call: Call): Typed {
  if (args.length % 2 === 1) return call.refuse('names and values must come in pairs')
  const parts = args.map((arg, index) => {
    if (index % 2 === 0 && arg.type !== 'STRING') return call.refuse('names must be strings')
    return arg.sql
  })
  return jsonValue(sql`json_object(${sql.list(parts)})`)
}

/** Serializes to JSON text, with doubles in Java's notation. */
function jsonTextOf([value]: readonly Typed[]): Typed {
  const { type } = value!
  if (type === null) return nullValue
  if (type === 'LONG' || type === 'DOUBLE' || type === 'FLOAT') return textValue(toText(value!))
  if (type !== 'ARRAY<DOUBLE>') return textValue(sql`CAST(to_json(${value!.sql}) AS VARCHAR)`)
  const texts = transform(value!.sql, (item) => sql`coalesce(${doubleText(item)}, 'null')`)
  return textValue(sql`('[' || array_to_string(${texts}, ',') || ']')`)
}

export const jsonFunctions = {
  json_value: { args: [2, 3], compile: valueAt },
  json_query: { args: [2, 2], compile: ([value], call) => jsonValue(extract(value!, pathOf(call, 1))) },
  json_keys: { args: [2, 2], compile: keys },
  json_object: { args: [0, many], compile: object },
  parse_json: parsing(
    (text) =>
      sql`json(CASE WHEN ${isLooseJson(text)} THEN CAST(${failing('a string is not JSON')} AS VARCHAR) ELSE ${text} END)`,
    (call) => call.refuse('the argument must be a string'),
  ),
  try_parse_json: parsing(
    (text) => sql`CASE WHEN json_valid(${text}) AND NOT ${isLooseJson(text)} THEN json(${text}) END`,
    () => nullValue,
  ),
  to_json_string: { args: [1, 1], compile: jsonTextOf },
} as const satisfies FunctionTable
