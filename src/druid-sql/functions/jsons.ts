import { type Sql, sql } from '../../lib/sql-text.ts'
import { failing } from '../../sql-engine/sql-engine.ts'
import { as, asPlainNumber, jsonText } from '../bind/conversions.ts'
import { type Bound, called, engineFunction } from '../bind/tree.ts'
import { arrayOf, json, string } from '../bind/types.ts'
import { quoted, sqlProblem } from '../parse/sql-problem.ts'
import { type BoundCall, type Catalogue, neededText, scalar, special } from './signature.ts'
import { onceEach, withoutRepeats } from './text-limits.ts'

/** A path of Druid's JSON functions, in the engine's form: `$.a.b[0]`. */
function jsonPath(call: BoundCall): string {
  const path = neededText(call, 1)
  const isPath = /^\$(?:\.[A-Za-z_][A-Za-z0-9_]*|\[\d{1,6}\]|\['[^'"\\*]+'\]|\."[^"\\*]+")*$/.test(path)
  if (!isPath) throw sqlProblem(call.operands[1]!.place, `${quoted(path)} is not a path: write one as '$.a.b[0]'`)
  return path.replace(/\['([^']*)'\]/g, '."$1"')
}

interface JsonPath {
  readonly path: string
}

const document = engineFunction(([text]) => there(sql`TRY_CAST(${text!} AS JSON)`))

const jsonOf = (operand: Bound): Bound =>
  operand.type.kind === 'json' ? operand : called(operand.place, json, document, [as(operand, string)])

/** A JSON null becomes a null. */
const there = (value: Sql): Sql =>
  withoutRepeats([value], (x) => sql`CASE WHEN json_type(${x}) <> 'NULL' THEN ${x} END`)

/** Texts, numbers and truth values (as 1 and 0); objects and arrays are null. */
const valueAt = engineFunction<JsonPath>((texts, { options }) => {
  const path = sql.literal(options.path)
  return withoutRepeats(
    texts,
    (x) =>
      sql`CASE json_type(${x}, ${path}) WHEN 'OBJECT' THEN NULL WHEN 'ARRAY' THEN NULL
        WHEN 'BOOLEAN' THEN CASE json_extract_string(${x}, ${path}) WHEN 'true' THEN '1' ELSE '0' END ELSE json_extract_string(${x}, ${path}) END`,
  )
})

const jsonValue = special(2, 2, (call) => {
  const value = called(call.place, string, valueAt, [jsonOf(call.operands[0]!)], { path: jsonPath(call) })
  return call.returning === null ? value : as(value, call.returning)
})

const partAt = engineFunction<JsonPath>(([value], { options: { path } }) =>
  there(sql`json_extract(${value!}, ${sql.literal(path)})`),
)

const jsonQuery = special(2, 2, (call) =>
  called(call.place, json, partAt, [jsonOf(call.operands[0]!)], { path: jsonPath(call) }),
)

const keysAt = engineFunction<JsonPath>(([value], { options: { path } }) => {
  const places = (found: Sql): Sql =>
    sql`list_transform(CAST(json_extract(${found}, '$[*]') AS JSON[]), lambda e, i: CAST(i - 1 AS VARCHAR))`
  return withoutRepeats(
    [sql`json_extract(${value!}, ${sql.literal(path)})`],
    (found) =>
      sql`CAST(CASE json_type(${found}) WHEN 'OBJECT' THEN json_keys(${found}) WHEN 'ARRAY' THEN ${places(found)} END AS VARCHAR[])`,
  )
})

const jsonKeys = special(2, 2, (call) =>
  called(call.place, arrayOf(string), keysAt, [jsonOf(call.operands[0]!)], { path: jsonPath(call) }),
)

/** The engine requires a text as a name, even if it knows that the name is null. */
const object = engineFunction((texts) => {
  const parts = texts.map((text, index) => (index % 2 === 0 ? sql`CAST(${text} AS VARCHAR)` : text))
  return sql`json_object(${sql.list(parts)})`
})

const jsonObject = special(0, 200, ({ place, operands }) => {
  const parts = operands.map((operand, index) => (index % 2 === 0 ? as(operand, string) : asPlainNumber(operand)))
  return called(place, json, object, parts)
})

const merged = engineFunction(([a, b]) => sql`json_merge_patch(${a!}, ${b!})`)
const jsonMerge = special(2, 2, ({ place, operands }) => called(place, json, merged, operands.map(jsonOf)))

const isNull = (text: Sql): Sql => sql`(trim(${text}, ${sql.literal(' \t\n\r')}) = 'null')`

const text = engineFunction(([x], { operands: [value] }) => jsonText(x!, value!.type))
const toJson = special(1, 1, ({ place, operands }) => called(place, string, text, operands.map(asPlainNumber)))

export const jsons: Catalogue = {
  JSON_VALUE: jsonValue,
  JSON_QUERY: jsonQuery,
  JSON_KEYS: jsonKeys,
  JSON_OBJECT: jsonObject,
  JSON_MERGE: jsonMerge,
  PARSE_JSON: scalar([string], json, (x) =>
    onceEach(
      [x],
      (text) =>
        sql`CAST(CASE WHEN ${isLooseJson(text)} THEN ${failing('a string is not JSON')} WHEN ${isNull(text)} THEN NULL ELSE ${text} END AS JSON)`,
    ),
  ),
  TRY_PARSE_JSON: scalar([string], json, (x) =>
    onceEach(
      [x],
      (text) => sql`CASE WHEN NOT ${isLooseJson(text)} AND NOT ${isNull(text)} THEN TRY_CAST(${text} AS JSON) END`,
    ),
  ),
  TO_JSON_STRING: toJson,
}

/** Texts in quotes, whose contents do not matter here. */
const jsonTexts = sql.literal(String.raw`"(?:[^"\\]|\\.)*"`)
/** Text that never occurs in JSON outside of quotes. */
const notJson = sql.literal(String.raw`(?i)nan|inf|,\s*[\]}]`)

/** Whether a text has parts that the engine accepts but that are not JSON. Most texts are scanned only once. */
export const isLooseJson = (text: Sql): Sql =>
  sql`(regexp_matches(${text}, ${notJson}) AND regexp_matches(regexp_replace(${text}, ${jsonTexts}, '0', 'g'), ${notJson}))`
