// Functions on values of any type, arrays, JSON, sketches and addresses.
import { type Bound, combine } from '../bound.ts'
import { as, comparable } from '../conversions.ts'
import { quoted, sqlProblem } from '../sql-problem.ts'
import { join, literal, type SqlText, sql } from '../sql-text.ts'
import {
  arrayOf,
  boolean,
  commonType,
  double,
  json,
  long,
  nullType,
  quantiles,
  type SqlType,
  sketch,
  string,
  typeName,
} from '../types.ts'
import {
  type BoundCall,
  type Catalogue,
  constantText,
  neededText,
  type ScalarFunction,
  scalar,
  special,
} from './signature.ts'

/** All operands as the one type that holds them all. */
export function unified(operands: readonly Bound[]): { readonly operands: readonly Bound[]; readonly type: SqlType } {
  let type: SqlType = nullType
  for (const operand of operands) {
    const common = commonType(type, operand.type)
    if (common === null)
      throw sqlProblem(
        operand.place,
        `a value of type ${typeName(operand.type)} cannot stand beside one of type ${typeName(type)}: CAST one of them`,
      )
    type = common
  }
  return { operands: operands.map((operand) => as(operand, type)), type }
}

const coalesce = special(1, 1000, (call) => {
  const { operands, type } = unified(call.operands)
  return combine(
    call.place,
    type,
    sql`coalesce(${join(
      operands.map((operand) => operand.sql),
      ', ',
    )})`,
    operands,
  )
})

const nullif = special(2, 2, ({ place, operands }) => {
  const [a, b] = comparable(operands[0]!, operands[1]!)
  return combine(
    place,
    operands[0]!.type,
    sql`CASE WHEN ${a.sql} = ${b.sql} THEN NULL ELSE ${operands[0]!.sql} END`,
    operands,
  )
})

function arrayOperand(call: BoundCall, index = 0): { readonly array: Bound; readonly element: SqlType } {
  const operand = call.operands[index]!
  if (operand.type.kind === 'array') return { array: operand, element: operand.type.element }
  if (operand.type.kind === 'null') return { array: as(operand, arrayOf(string)), element: string }
  throw sqlProblem(
    operand.place,
    `operand ${index + 1} of ${call.name} must be an array, not a value of type ${typeName(operand.type)}`,
  )
}

/** A function of an array and a value of its type. */
function withElement(
  result: (element: SqlType) => SqlType,
  render: (array: SqlText, value: SqlText) => SqlText,
  valueFirst = false,
): ScalarFunction {
  return special(2, 2, (call) => {
    const { array, element } = arrayOperand(call, valueFirst ? 1 : 0)
    const value = as(call.operands[valueFirst ? 0 : 1]!, element)
    return combine(call.place, result(element), render(array.sql, value.sql), [array, value])
  })
}

/** A function of an array and a whole number. */
function at(render: (array: SqlText, index: SqlText) => SqlText): ScalarFunction {
  return special(2, 2, (call) => {
    const { array, element } = arrayOperand(call)
    const index = as(call.operands[1]!, long)
    return combine(call.place, element, render(array.sql, index.sql), [array, index])
  })
}

function ofTwo(result: (element: SqlType) => SqlType, render: (a: SqlText, b: SqlText) => SqlText): ScalarFunction {
  return special(2, 2, (call) => {
    const a = arrayOperand(call, 0).array
    // A single value counts as an array of one.
    const other = call.operands[1]!
    const b =
      other.type.kind === 'array'
        ? other
        : { ...as(other, arrayElement(a)), type: a.type, sql: sql`[${as(other, arrayElement(a)).sql}]` }
    const { operands, type } = unified([a, b])
    const element = type.kind === 'array' ? type.element : string
    return combine(call.place, result(element), render(operands[0]!.sql, operands[1]!.sql), operands)
  })
}

function arrayElement({ type }: Bound): SqlType {
  return type.kind === 'array' ? type.element : string
}

const arrayToText = special(2, 3, (call) => {
  const { array } = arrayOperand(call)
  const texts = as(array, arrayOf(string))
  const separator = as(call.operands[1]!, string)
  return combine(call.place, string, sql`array_to_string(${texts.sql}, ${separator.sql})`, [texts, separator])
})

const arrayLength = special(1, 1, (call) => {
  const { array } = arrayOperand(call)
  return combine(call.place, long, sql`len(${array.sql})`, [array])
})

const arraySlice = special(2, 3, (call) => {
  const { array } = arrayOperand(call)
  const start = as(call.operands[1]!, long)
  const end = call.operands[2] === undefined ? null : as(call.operands[2], long)
  const slice = sql`${array.sql}[${start.sql} + 1:${end === null ? sql`len(${array.sql})` : end.sql}]`
  return combine(call.place, array.type, sql`(${slice})`, end === null ? [array, start] : [array, start, end])
})

/** Empty pieces at the end are left out. */
const textToArray = scalar(
  [string, string],
  arrayOf(string),
  (x, separator) =>
    sql`string_split(CASE WHEN length(${separator}) = 1 THEN rtrim(${x}, ${separator}) ELSE ${x} END, ${separator})`,
)

const arrays: Catalogue = {
  ARRAY_LENGTH: arrayLength,
  CARDINALITY: arrayLength,
  MV_LENGTH: arrayLength,
  ARRAY_OFFSET: at((array, index) => sql`CASE WHEN ${index} >= 0 THEN ${array}[${index} + 1] END`),
  ARRAY_ORDINAL: at((array, index) => sql`CASE WHEN ${index} >= 1 THEN ${array}[${index}] END`),
  ARRAY_CONTAINS: ofTwo(
    () => boolean,
    (a, b) => sql`list_has_all(${a}, ${b})`,
  ),
  ARRAY_OVERLAP: ofTwo(
    () => boolean,
    (a, b) => sql`list_has_any(${a}, ${b})`,
  ),
  SCALAR_IN_ARRAY: withElement(
    () => boolean,
    (array, value) => sql`list_contains(${array}, ${value})`,
    true,
  ),
  ARRAY_OFFSET_OF: withElement(
    () => long,
    (array, value) => sql`(CAST(list_position(${array}, ${value}) AS BIGINT) - 1)`,
  ),
  ARRAY_ORDINAL_OF: withElement(
    () => long,
    (array, value) => sql`CAST(list_position(${array}, ${value}) AS BIGINT)`,
  ),
  ARRAY_APPEND: withElement(arrayOf, (array, value) => sql`list_append(${array}, ${value})`),
  ARRAY_PREPEND: withElement(arrayOf, (array, value) => sql`list_prepend(${value}, ${array})`, true),
  ARRAY_CONCAT: ofTwo(arrayOf, (a, b) => sql`list_concat(${a}, ${b})`),
  ARRAY_SLICE: arraySlice,
  ARRAY_TO_STRING: arrayToText,
  STRING_TO_ARRAY: textToArray,
}

/** A path of Druid's JSON functions, as the engine reads it: `$.a.b[0]`. */
function jsonPath(call: BoundCall): SqlText {
  const path = neededText(call, 1)
  const isPath = /^\$(?:\.[A-Za-z_][A-Za-z0-9_]*|\[\d{1,6}\]|\['[^'"\\*]*'\]|\."[^"\\*]*")*$/.test(path)
  if (!isPath) throw sqlProblem(call.operands[1]!.place, `${quoted(path)} is no path: write one as '$.a.b[0]'`)
  return literal(path.replace(/\['([^']*)'\]/g, '."$1"'))
}

const jsonOf = (operand: Bound): Bound =>
  operand.type.kind === 'json'
    ? operand
    : combine(operand.place, json, sql`TRY_CAST(${as(operand, string).sql} AS JSON)`, [operand])

/** Text, numbers and truth values; objects and arrays are null. */
const jsonValue = special(2, 2, (call) => {
  const document = jsonOf(call.operands[0]!)
  const path = jsonPath(call)
  const text = sql`CASE WHEN json_type(${document.sql}, ${path}) IN ('OBJECT', 'ARRAY') THEN NULL ELSE json_extract_string(${document.sql}, ${path}) END`
  const value = combine(call.place, string, text, [document])
  return call.returning === null ? value : as(value, call.returning)
})

const jsonQuery = special(2, 2, (call) => {
  const document = jsonOf(call.operands[0]!)
  return combine(call.place, json, sql`json_extract(${document.sql}, ${jsonPath(call)})`, [document])
})

const jsonKeys = special(2, 2, (call) => {
  const document = jsonOf(call.operands[0]!)
  const keys = sql`CASE WHEN json_type(${document.sql}, ${jsonPath(call)}) = 'OBJECT' THEN json_keys(${document.sql}, ${jsonPath(call)}) END`
  return combine(call.place, arrayOf(string), keys, [document])
})

const jsonObject = special(0, 200, ({ place, operands }) => {
  const parts = operands.map((operand, index) => (index % 2 === 0 ? as(operand, string) : operand))
  return combine(
    place,
    json,
    sql`json_object(${join(
      parts.map((part) => part.sql),
      ', ',
    )})`,
    parts,
  )
})

const jsonMerge = special(2, 2, ({ place, operands }) => {
  const [a, b] = [jsonOf(operands[0]!), jsonOf(operands[1]!)]
  return combine(place, json, sql`json_merge_patch(${a.sql}, ${b.sql})`, [a, b])
})

const toJson = special(1, 1, ({ place, operands }) =>
  combine(place, string, sql`CAST(to_json(${operands[0]!.sql}) AS VARCHAR)`, operands),
)

const jsons: Catalogue = {
  JSON_VALUE: jsonValue,
  JSON_QUERY: jsonQuery,
  JSON_KEYS: jsonKeys,
  JSON_OBJECT: jsonObject,
  JSON_MERGE: jsonMerge,
  PARSE_JSON: scalar([string], json, (x) => sql`CAST(${x} AS JSON)`),
  TRY_PARSE_JSON: scalar([string], json, (x) => sql`TRY_CAST(${x} AS JSON)`),
  TO_JSON_STRING: toJson,
}

const setOperation = (render: (a: SqlText, b: SqlText) => SqlText): ScalarFunction =>
  special(2, 100, ({ place, operands }) => {
    const sets = operands.filter((operand) => operand.constant === undefined).map((operand) => as(operand, sketch))
    if (sets.length < 2) throw sqlProblem(place, 'two sketches or more are expected')
    const combined = sets.slice(1).reduce((sum, set) => render(sum, set.sql), sets[0]!.sql)
    return combine(place, sketch, combined, sets)
  })

const union = setOperation((a, b) => sql`list_distinct(list_concat(${a}, ${b}))`)
const estimate = special(1, 3, ({ place, operands }) => {
  const set = as(operands[0]!, sketch)
  return combine(place, double, sql`CAST(len(${set.sql}) AS DOUBLE)`, [set])
})

const quantileOf = special(2, 2, (call) => {
  const values = as(call.operands[0]!, quantiles)
  const share = as(call.operands[1]!, double)
  const rank = sql`CAST(least(greatest(ceil(${share.sql} * len(${values.sql})), 1), len(${values.sql})) AS BIGINT)`
  return combine(call.place, double, sql`${values.sql}[${rank}]`, [values, share])
})

const rankOf = special(2, 2, (call) => {
  const values = as(call.operands[0]!, quantiles)
  const value = as(call.operands[1]!, double)
  const below = sql`len(list_filter(${values.sql}, lambda e: e < ${value.sql}))`
  return combine(call.place, double, sql`(CAST(${below} AS DOUBLE) / len(${values.sql}))`, [values, value])
})

const sketches: Catalogue = {
  HLL_SKETCH_ESTIMATE: estimate,
  HLL_SKETCH_UNION: union,
  THETA_SKETCH_ESTIMATE: estimate,
  THETA_SKETCH_UNION: union,
  THETA_SKETCH_INTERSECT: setOperation((a, b) => sql`list_intersect(${a}, ${b})`),
  THETA_SKETCH_NOT: setOperation((a, b) => sql`list_filter(${a}, lambda e: NOT list_contains(${b}, e))`),
  DS_GET_QUANTILE: quantileOf,
  DS_RANK: rankOf,
}

const addressForm = literal(
  '(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])([.](25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])){3}',
)

/** An address as its number, from text or from a number; what is none is null. */
function addressNumber(operand: Bound): Bound {
  if (operand.type.kind === 'long')
    return combine(
      operand.place,
      long,
      sql`CASE WHEN ${operand.sql} BETWEEN 0 AND 4294967295 THEN ${operand.sql} END`,
      [operand],
    )
  const text = as(operand, string)
  const part = (index: SqlText, power: SqlText): SqlText =>
    sql`CAST(split_part(${text.sql}, '.', ${index}) AS BIGINT) * ${power}`
  const number = sql`${part(sql`1`, sql`16777216`)} + ${part(sql`2`, sql`65536`)} + ${part(sql`3`, sql`256`)} + ${part(sql`4`, sql`1`)}`
  return combine(
    operand.place,
    long,
    sql`CASE WHEN regexp_full_match(${text.sql}, ${addressForm}) THEN ${number} END`,
    [text],
  )
}

const addressMatch = special(2, 2, (call) => {
  const [address = '', length = '32', ...more] = neededText(call, 1).split('/')
  const numbers = address.split('.').map(Number)
  const bits = Number(length)
  if (
    more.length > 0 ||
    !/^(\d{1,3}\.){3}\d{1,3}$/.test(address) ||
    numbers.some((number) => number > 255) ||
    !/^\d{1,2}$/.test(length) ||
    bits > 32
  ) {
    throw sqlProblem(call.operands[1]!.place, "a range of addresses is written as '10.0.0.0/8'")
  }
  const size = 2 ** (32 - bits)
  const start = Math.floor(numbers.reduce((sum, number) => sum * 256 + number, 0) / size) * size
  const number = addressNumber(call.operands[0]!)
  const inside = sql`coalesce(${number.sql} BETWEEN ${literal(String(start))}::BIGINT AND ${literal(String(start + size - 1))}::BIGINT, FALSE)`
  return combine(call.place, boolean, inside, [number])
})

const addresses: Catalogue = {
  IPV4_MATCH: addressMatch,
  IPV4_PARSE: special(1, 1, ({ operands }) => addressNumber(operands[0]!)),
  IPV4_STRINGIFY: special(1, 1, ({ place, operands }) => {
    const number = addressNumber(operands[0]!)
    const part = (power: SqlText): SqlText => sql`CAST(${number.sql} // ${power} % 256 AS VARCHAR)`
    const text = sql`(${part(sql`16777216`)} || '.' || ${part(sql`65536`)} || '.' || ${part(sql`256`)} || '.' || ${part(sql`1`)})`
    return combine(place, string, text, [number])
  }),
}

const lookup = special(2, 3, (call) => {
  const name = constantText(call, 1)
  throw sqlProblem(call.place, `there is no lookup ${quoted(name ?? 'NULL')}: join a table of values instead`)
})

export const values: Catalogue = {
  COALESCE: coalesce,
  NVL: { ...coalesce, count: [2, 2] },
  NULLIF: nullif,
  LOOKUP: lookup,
  ...arrays,
  ...jsons,
  ...sketches,
  ...addresses,
}
