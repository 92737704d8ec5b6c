// Texts, arrays and JSON of SQL.
import { changedCalls, instead, inTurn, ofPlainCharacters, withoutCalls } from '../changed-queries.ts'
import { doublesEvened, keysEvened } from './evened-answers.ts'
import { type KnownDifference, otherwise, writtenOtherwise } from './reason.ts'

export const sqlTextsAndLists: readonly KnownDifference[] = [
  otherwise(
    'arrays of nulls alone are of numbers in Druid, a row at a time',
    /ARRAY_(?:APPEND|PREPEND|CONCAT)\(/,
    'sql',
    {
      without: changedCalls(
        /ARRAY_(?:APPEND|PREPEND|CONCAT)/,
        instead([/(?<![.\w'])([sTjce])(?=[,\])])/g, "COALESCE($1, 'q')"], [/CAST\(NULL AS VARCHAR\)/g, "'q'"]),
      ),
    },
  ),
  otherwise('bytes that are no UTF-8 are null here', /DECODE_BASE64_UTF8\(/, 'sql', {
    without: instead([/DECODE_BASE64_UTF8\(/g, 'UPPER(']),
  }),
  writtenOtherwise('doubles in JSON are written as 1.0E10 in Druid', /JSON_OBJECT\(|PARSE_JSON\(/, doublesEvened),
  otherwise('JSON with more behind it is none here, and what comes first in Druid', /TRY_PARSE_JSON\(/, 'sql', {
    without: withoutCalls(/TRY_PARSE_JSON/, 'TRY_PARSE_JSON(j)'),
  }),
  otherwise(
    'characters beyond U+FFFF are two to Druid where texts are cut, counted and filled',
    /\b(?:STRPOS|POSITION|SUBSTR|SUBSTRING|LEFT|RIGHT|LPAD|RPAD|STRING_TO_ARRAY)\(|STRING_FORMAT\('%\d*\.\d/,
    'sql',
    { without: ofPlainCharacters('REPLACE') },
  ),
  otherwise("Druid replaces nothing once more behind what '.*' has matched", /REGEXP_REPLACE\(.*'\.\*'/, 'sql', {
    without: instead([/'\.\*'/g, "'.+'"]),
  }),
  otherwise(
    "centuries and FLOOR of whole numbers are doubles in Druid's expressions, and no addresses",
    /IPV4_\w+\(.*(?:CENTURY|MILLENNIUM|FLOOR\(|CEIL\(|TRUNC\(|TRUNCATE\()/,
    'sql',
    {
      without: inTurn(
        instead([/\b(?:CENTURY|MILLENNIUM)\b/g, 'YEAR'], [/\b(?:FLOOR|CEIL)\(/g, 'ABS(']),
        // The planner drops a cast to the type that it assumes for the call.
        changedCalls(/TRUNC|TRUNCATE/, (call) => `CAST(CAST(${call} AS DOUBLE) AS BIGINT)`),
      ),
    },
  ),
  otherwise(
    'an address with a range or spaces behind it is one to Druid',
    /IPV4_(?:PARSE|MATCH)\(.*(?:'-'|' ')/,
    'sql',
    {
      without: instead([/'(?:-| )'/g, "'x'"]),
    },
  ),
  otherwise('a null in the second object of JSON_MERGE takes its key away here', /JSON_MERGE\(/, 'sql', {
    there: /null/,
    without: instead([/KEY 'a' VALUE [^)]*\)\)/g, "KEY 'a' VALUE 1))"]),
  }),
  writtenOtherwise(
    'JSON_MERGE keeps the order of keys in Druid, and JSON_OBJECT has none',
    /JSON_(?:MERGE|OBJECT)\(/,
    keysEvened,
  ),
]
