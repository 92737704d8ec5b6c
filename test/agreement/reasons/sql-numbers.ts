// Numbers of SQL: ranges, types, signs, NaN and infinity, and how they are written.
import { changedCalls, instead, inTurn, ofSmallNumbers, plainOperand, withoutCalls } from '../changed-queries.ts'
import { digitsEvened, doublesEvened, intsEvened } from './evened-answers.ts'
import { type KnownDifference, otherwise, values, writtenOtherwise } from './reason.ts'

const guarded = (value: string): string => `(CASE WHEN ${value} BETWEEN -1e300 AND 1e300 THEN ${value} END)`

/** Makes NaN and infinity null. */
const withoutEndlessNumbers = inTurn(
  instead([new RegExp(`(${plainOperand}) / (${plainOperand})`, 'g'), guarded('$1 / $2')]),
  changedCalls(/MOD|BITWISE_CONVERT_LONG_BITS_TO_DOUBLE|LN|LOG10|SQRT|POWER|POW|ASIN|ACOS|COT|EXP/, guarded),
)

/** Makes -0.0 into 0.0 wherever it may occur. */
const withoutNegativeZeros = inTurn(
  changedCalls(
    /CEIL|CEILING|FLOOR|ROUND|TRUNC|TRUNCATE|MOD|SAFE_DIVIDE|BITWISE_CONVERT_LONG_BITS_TO_DOUBLE|ATAN2|DEGREES|RADIANS|SIN|TAN|ATAN|ASIN|SQRT/,
    // The planner drops the addition of 0.
    (call) => `((${call} + 1.0) - 1.0)`,
  ),
  // Not the star of `SELECT *`.
  instead([/(?<!SELECT) [*/] /g, ' + ']),
)

export const sqlNumbers: readonly KnownDifference[] = [
  otherwise(
    'FLOOR and CEIL of a whole number are doubles in an expression of Druid, which no %d takes',
    /STRING_FORMAT\('[^']*%[dxo][^']*'.*\b(?:FLOOR|CEIL)\(/,
    'sql',
    { there: /%[dxo][^"]*; /, without: instead([/\b(?:FLOOR|CEIL)\(/g, 'ABS(']) },
  ),
  otherwise(
    'FLOOR, CEIL and TRUNCATE of a whole number, centuries and millennia are doubles as a text and in arrays in Druid',
    /(?:AS VARCHAR|CONCAT|\|\||TO_STRING|TO_JSON_STRING|STRING_FORMAT|STRING_AGG|LISTAGG|ARRAY).*\b(?:(?:FLOOR|CEIL|TRUNC|TRUNCATE)\(|CENTURY|MILLENNIUM)|\b(?:(?:FLOOR|CEIL|TRUNC|TRUNCATE)\(|CENTURY|MILLENNIUM).*(?:AS VARCHAR|\|\|)/,
    'sql',
    {
      without: inTurn(
        changedCalls(/FLOOR|CEIL|TRUNC|TRUNCATE/, (call) => `CAST(${call} AS BIGINT)`),
        instead([/\b(?:CENTURY|MILLENNIUM)\b/g, 'YEAR']),
      ),
    },
  ),
  otherwise('zeros of two signs are two groups in Druid', /GROUP BY|DISTINCT/, 'sql', {
    there: /":0[,}]|-0\.0/,
    without: withoutNegativeZeros,
  }),
  otherwise(
    'a negative zero is not equal to 0 in a filter of Druid',
    / (?:=|<>|<=|>=|<|>) 0(?:\.0)?\b|IN \(.*\b0\b/,
    'sql',
    { without: inTurn(withoutNegativeZeros, instead([/(?<!AS )\bV\b(?!, c, m)/g, '((V + 1.0) - 1.0)'])) },
  ),
  otherwise(
    'each row of GREATEST and LEAST has a type of its own in Druid, which a division asks for',
    /\b(?:GREATEST|LEAST)\(.* \/ | \/ .*\b(?:GREATEST|LEAST)\(/,
    'sql',
    { without: withoutCalls(/GREATEST|LEAST/, 'd') },
  ),
  otherwise(
    'what is no number is null here, and goes on as NaN in Druid',
    /\b(?:MOD|BITWISE_CONVERT_LONG_BITS_TO_DOUBLE|LN|LOG10|SQRT|POWER|POW|ASIN|ACOS)\(| \/ /,
    'sql',
    { without: withoutEndlessNumbers },
  ),
  writtenOtherwise(
    'the text of a double may have a digit more in Druid',
    /AS VARCHAR|CONCAT\(|\|\||STRING_FORMAT\(|ARRAY/,
    doublesEvened,
  ),
  otherwise(
    'FLOOR and CEIL of longs beyond 2^53 go by way of doubles in Druid',
    /\b(?:FLOOR|CEIL|CEILING)\(.*\b[lm]\b|\b[lm]\b.*\b(?:FLOOR|CEIL|CEILING)\(/,
    'sql',
    { differing: values, without: ofSmallNumbers },
  ),
  otherwise(
    'a sum that passes all doubles on its way is no number in Druid',
    /\b(?:SUM|AVG)\(.*(?:\bV\b|1e308)/,
    'sql',
    {
      without: instead([/\bV\b/g, 'd'], [/1e308/g, '1e3']),
    },
  ),
  otherwise('a cluster keeps no sign of a zero', /\bV\b/, 'sql', {
    without: instead([/(?<!AS )\bV\b(?!, c, m)/g, '((V + 1.0) - 1.0)']),
  }),
  writtenOtherwise(
    'functions of doubles end in other digits',
    /\b(?:COT|A?SIN|A?COS|A?TAN|EXP|LN|POW|POWER|ATAN2|LOG10)\(/i,
    digitsEvened,
  ),
  writtenOtherwise(
    'whole numbers of 32 bits go round in the answers of Druid',
    /TIMESTAMPDIFF\(|LENGTH\(|STRLEN\(|POSITION\(|ARRAY_(?:OFFSET|ORDINAL)\(ARRAY_/,
    intsEvened,
  ),
  otherwise(
    'each row of GREATEST, LEAST and CASE has a type of its own in Druid, which %f and %d ask for',
    /STRING_FORMAT\('[^']*%[a-z][^']*', .*\b(?:GREATEST\(|LEAST\(|COALESCE\(|NVL\(|CASE )/,
    'sql',
    { without: withoutCalls(/GREATEST|LEAST|COALESCE|NVL/, 'd') },
  ),
  otherwise('TRUNCATE and ROUND go by way of a long or a double in Druid', /\b(?:TRUNC(?:ATE)?|ROUND)\(/, 'sql', {
    without: inTurn(instead([/, 12\)/g, ', 2)']), ofSmallNumbers, withoutEndlessNumbers),
  }),
]
