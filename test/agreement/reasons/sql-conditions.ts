// Conditions of SQL, null, and the planner's rewrites of both.
import {
  changedCalls,
  constantCall,
  evenBounds,
  instead,
  inTurn,
  plainOperand,
  textsBesideNumbers,
  textsBesideTexts,
  withNullConstants,
} from '../changed-queries.ts'
import { type KnownDifference, otherwise, values } from './reason.ts'

/** True of every value that is not null. Druid drops IS NOT NULL next to bounds of computed values. */
const isThere = 'CHAR_LENGTH(CAST($1 AS VARCHAR)) >= 0'

/** Makes bounds apply only to values that are not null. */
const withoutNullsInBounds = instead(
  [new RegExp(`(${plainOperand}) (NOT BETWEEN|BETWEEN SYMMETRIC) `, 'g'), `${isThere} AND $1 $2 `],
  [
    new RegExp(`\\(?(${plainOperand}) ([<>]=?) (${plainOperand})\\)? OR \\(?\\1 ([<>]=?) `, 'g'),
    `${isThere} AND $1 $2 $3 OR ${isThere} AND $1 $4 `,
  ],
)

/** Casts the operand of IN with a list of numbers to a number. */
const ofNumbersInLists = (text: string): string =>
  text.replaceAll(
    new RegExp(`(${plainOperand}) ((?:NOT )?IN \\(-?\\d[^()]*\\))`, 'g'),
    (_, operand: string, list: string) => `CAST(${operand} AS ${list.includes('.') ? 'DOUBLE' : 'BIGINT'}) ${list}`,
  )

export const sqlConditions: readonly KnownDifference[] = [
  otherwise('a zero is above a negative zero in Druid', /(?<=(?:AND|BETWEEN|[<>=]) )- (?:V|d)\b/, 'sql', {
    without: instead([/(?<=(?:AND|BETWEEN|[<>=]) )- (V|d)\b/g, '(0 - $1)']),
  }),
  otherwise(
    'groups of truth values of texts and doubles are those of the texts and doubles in Druid',
    /(?:AS BOOLEAN\)|= TRUE)(?=.*(?:GROUP BY|DISTINCT))|(?:GROUP BY|DISTINCT).*(?:AS BOOLEAN\)|= TRUE)/,
    'sql',
    {
      without: inTurn(
        changedCalls(/CAST/, (call) =>
          call.endsWith(' AS BOOLEAN)') ? `CASE WHEN ${call} THEN TRUE WHEN NOT ${call} THEN FALSE END` : call,
        ),
        instead([/\b(\w+) = TRUE/g, '(CASE WHEN $1 = TRUE THEN TRUE WHEN $1 <> TRUE THEN FALSE END)']),
      ),
    },
  ),
  {
    ...otherwise(
      'bounds that hold all values together hold null too in Druid',
      /NOT BETWEEN|BETWEEN SYMMETRIC|(?:\(|WHERE )([^<>=]+) [<>]=? .* OR \(?\1 [<>]=? |NOT \(([^<>=]+) [<>]=? .* AND \2 [<>]=? /,
      'sql',
      { without: withoutNullsInBounds },
    ),
    keepsOurs: true,
  },
  otherwise(
    'Druid leaves a HAVING out that always holds, and then puts null first where it takes the first groups',
    /HAVING .* ORDER BY k DESC LIMIT/,
    'sql',
    {
      there: /^\[\{"k":null/,
      differing: values,
      without: instead([/ HAVING .* ORDER BY k DESC/g, ' ORDER BY k DESC']),
    },
  ),
  otherwise(
    'bounds of longs go by way of doubles in Druid',
    /900719925474099[23]|922337203685477580[78]|1e308/,
    'sql',
    {
      without: evenBounds,
    },
  ),
  otherwise(
    'Druid cuts the fractions of numbers that it looks for in longs',
    /(?:NOT )?IN \([^()]*\d[.e]\d|(?:=|<>) -?\d+\.\d.* (?:OR|AND) .*(?:=|<>) /,
    'sql',
    { without: instead([/(?<=[ (,]-?\d+)\.\d+(?:e\d+)?(?=[ ,)]|$)/g, '.0'], [/\b1e-7\b/g, '0.0']) },
  ),
  {
    reason: 'Druid takes a call of constants that is null for one that is there',
    matches: ({ query, embedded, druid }) =>
      constantCall.test(query.text) &&
      /IS (?:NOT )?(?:NULL|UNKNOWN|DISTINCT FROM)|COALESCE\(|NVL\(|NULLIF\(|CASE |ARRAY_CONTAINS\(|ARRAY_OVERLAP\(|COUNT\((?!\*)/.test(
        query.text,
      ) &&
      embedded.status === 200 &&
      druid.status === 200,
    without: withNullConstants,
    keepsOurs: true,
  },
  otherwise(
    'Druid leaves a CAST of a subquery out of the conditions around it',
    /\(SELECT .*CAST\(\w+(?:\([^()]*\) OVER \([^()]*\))? AS (?:DOUBLE|BIGINT|VARCHAR)\) AS \w+.* FROM .*(?:WHERE|HAVING) /,
    'sql',
    {
      without: instead([
        /CAST\((\w+(?:\([^()]*\) OVER \([^()]*\))?) AS (DOUBLE|BIGINT|VARCHAR)\) AS (\w+)/g,
        "CAST(CONCAT($1, '') AS $2) AS $3",
      ]),
    },
  ),
  otherwise(
    'Druid puts a constant in place of a column that a condition holds equal to it, and works out what is made of it',
    /\bT = 't1'.*CAST\(T AS|CAST\(T AS.*\bT = 't1'/,
    'sql',
    { without: instead([/\bT = 't1'/g, "T LIKE 't1'"]) },
  ),
  otherwise('what is cast of VALUES without a null is no null to the planner', /\(VALUES/, 'sql', {
    without: instead([/(?<=\(VALUES .*)'(?:a|b|c|x|y|\{\}|\[1\])'/g, "'7'"], [/(?<=\(VALUES .*)-0\.5/g, '1.5']),
  }),
  otherwise(
    'a text that is looked for among a number and NULL within a call or two CASEs is a number to Druid',
    /(?:\w\(|CASE .*CASE ).*\b\w+ IN \([-\d.]+, NULL\)/,
    'sql',
    { without: instead([/( IN \([-\d.]+, )NULL\)/g, '$1CAST(NULL AS BIGINT))']) },
  ),
  otherwise(
    'an element of an array that holds constants is no null to the planner',
    /\b(?:NVL|COALESCE)\(ARRAY_(?:OFFSET|ORDINAL)\(/,
    'sql',
    { without: instead([/\b(?:NVL|COALESCE)\(ARRAY_/g, 'NULLIF(ARRAY_']) },
  ),
  otherwise(
    "what is not null is all that is equal to itself to Druid's planner",
    /\b(\w+) (?:=|<>|<=|>=|<|>) \1\b/,
    'sql',
    {
      without: instead([/\b(\w+) (=|<>|<=|>=|<|>) \1\b/g, '$1 $2 3']),
    },
  ),
  {
    ...otherwise(
      'a text that is looked for among numbers within an UNNEST is looked for among their texts in Druid',
      /UNNEST\(.* IN \(-?\d/,
      'sql',
      { without: ofNumbersInLists },
    ),
    keepsOurs: true,
  },
  otherwise(
    'a text of JSON that is looked for among null finds all rows in Druid',
    /SCALAR_IN_ARRAY\(TO_JSON_STRING\(.*NULL\]/,
    'sql',
    { without: instead([/, NULL\]/g, ']']) },
  ),
  otherwise(
    'a column that is cast to another type and back by way of a sum with 0, or around a subquery, is the column to Druid',
    /CAST\(.*CAST\(/,
    'sql',
    { without: instead([/CAST\(\w+ AS (BIGINT|DOUBLE|VARCHAR)\)/g, 'CAST(ABS(n) AS $1)']) },
  ),
  otherwise(
    "Druid's planner makes one condition of several that compare a text with numbers, and filters of those in a CASE",
    textsBesideNumbers,
    'sql',
    { without: textsBesideTexts },
  ),
]
