import { jsonTexts, notJson } from '../../druid-patterns/json-form.ts'
import { type Sql, sql } from '../../lib/sql-text.ts'
import { failing } from '../../sql-engine/sql-engine.ts'
import { type Bound, combine } from '../bind/bound.ts'
import { as, asPlainNumber, jsonText } from '../bind/conversions.ts'
import { arrayOf, json, string } from '../bind/types.ts'
import { quoted, sqlProblem } from '../parse/sql-problem.ts'
import { type BoundCall, type Catalogue, neededText, scalar, special } from './signature.ts'
import { onceEach, withoutRepeats } from './text-room.ts'

/** A path of Druid's JSON functions, as the engine reads it: `$.a.b[0]`. */
function jsonPath(call: BoundCall): Sql {
  const path = neededText(call, 1)
  const isPath = /^\$(?:\.[A-Za-z_][A-Za-z0-9_]*|\[\d{1,6}\]|\['[^'"\\*]+'\]|\."[^"\\*]+")*$/.test(path)
  if (!isPath) throw sqlProblem(call.operands[1]!.place, `${quoted(path)} is no path: write one as '$.a.b[0]'`)
  return sql.literal(path.replace(/\['([^']*)'\]/g, '."$1"'))
}

const jsonOf = (operand: Bound): Bound =>
  operand.type.kind === 'json'
    ? operand
    : combine(operand.place, json, there(sql`TRY_CAST(${as(operand, string).sql} AS JSON)`), [operand])

/** JSON's null is null. */
const there = (document: Sql): Sql =>
  withoutRepeats([document], (x) => sql`CASE WHEN json_type(${x}) <> 'NULL' THEN ${x} END`)

/** Text and numbers, and truth values as such; objects and arrays are null. */
const jsonValue = special(2, 2, (call) => {
  const document = jsonOf(call.operands[0]!)
  const path = jsonPath(call)
  const text = withoutRepeats(
    [document.sql],
    (x) =>
      sql`CASE json_type(${x}, ${path}) WHEN 'OBJECT' THEN NULL WHEN 'ARRAY' THEN NULL
        WHEN 'BOOLEAN' THEN CASE json_extract_string(${x}, ${path}) WHEN 'true' THEN '1' ELSE '0' END ELSE json_extract_string(${x}, ${path}) END`,
  )
  const value = combine(call.place, string, text, [document])
  return call.returning === null ? value : as(value, call.returning)
})

const jsonQuery = special(2, 2, (call) => {
  const document = jsonOf(call.operands[0]!)
  return combine(call.place, json, there(sql`json_extract(${document.sql}, ${jsonPath(call)})`), [document])
})

const jsonKeys = special(2, 2, (call) => {
  const document = jsonOf(call.operands[0]!)
  const path = jsonPath(call)
  const places = (found: Sql): Sql =>
    sql`list_transform(CAST(json_extract(${found}, '$[*]') AS JSON[]), lambda e, i: CAST(i - 1 AS VARCHAR))`
  const keys = withoutRepeats(
    [sql`json_extract(${document.sql}, ${path})`],
    (found) =>
      sql`CAST(CASE json_type(${found}) WHEN 'OBJECT' THEN json_keys(${found}) WHEN 'ARRAY' THEN ${places(found)} END AS VARCHAR[])`,
  )
  return combine(call.place, arrayOf(string), keys, [document])
})

/** The engine wants a text even where it knows that it is null. */
function keyOf(operand: Bound): Bound {
  const key = as(operand, string)
  return { ...key, sql: sql`CAST(${key.sql} AS VARCHAR)` }
}

const jsonObject = special(0, 200, ({ place, operands }) => {
  const parts = operands.map((operand, index) => (index % 2 === 0 ? keyOf(operand) : asPlainNumber(operand)))
  return combine(
    place,
    json,
    sql`json_object(${sql.join(
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

/** Whether a text has what the engine alone takes for JSON: most texts are looked through once. */
const isLoose = (text: Sql): Sql =>
  sql`(regexp_matches(${text}, ${sql.literal(notJson)}) AND regexp_matches(regexp_replace(${text}, ${sql.literal(jsonTexts)}, '0', 'g'), ${sql.literal(notJson)}))`

const isNull = (text: Sql): Sql => sql`(trim(${text}, ${sql.literal(' \t\n\r')}) = 'null')`

const toJson = special(1, 1, ({ place, operands }) => combine(place, string, jsonText(operands[0]!), operands))

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
        sql`CAST(CASE WHEN ${isLoose(text)} THEN ${failing('a text is no JSON')} WHEN ${isNull(text)} THEN NULL ELSE ${text} END AS JSON)`,
    ),
  ),
  TRY_PARSE_JSON: scalar([string], json, (x) =>
    onceEach(
      [x],
      (text) => sql`CASE WHEN NOT ${isLoose(text)} AND NOT ${isNull(text)} THEN TRY_CAST(${text} AS JSON) END`,
    ),
  ),
  TO_JSON_STRING: toJson,
}
