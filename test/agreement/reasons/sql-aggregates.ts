// Aggregates of SQL, alone and next to other expressions.
import { changedCalls, instead, inTurn, ofSmallLongs, ofSmallNumbers } from '../changed-queries.ts'
import { nearlyZeros } from './evened-answers.ts'
import { type KnownDifference, otherwise, values, writtenOtherwise } from './reason.ts'

/** A constant that is the only operand of a deviation. */
const ofConstant = /(?<=\b(?:STDDEV|VAR_|VARIANCE)\w*\()-?\d+\.\d+(?=\))/

export const sqlAggregates: readonly KnownDifference[] = [
  otherwise(
    'beside a COUNT(DISTINCT) of groups Druid has no EARLIEST or LATEST of a text',
    /(?:(?:COUNT|SUM)\(DISTINCT .*(?:EARLIEST|LATEST)|(?:EARLIEST|LATEST).*(?:COUNT|SUM)\(DISTINCT )/,
    'sql',
    { without: instead([/\b(COUNT|SUM)\(DISTINCT /g, '$1(']) },
  ),
  otherwise(
    'Druid leaves a CAST to a whole number out of a mean and of a deviation',
    /^(?=.*\b(?:AVG|STDDEV\w*|VAR_POP|VAR_SAMP|VARIANCE)\().*CAST\([^()]* AS (?:BIGINT|INTEGER)\)/,
    'sql',
    { differing: values, without: instead([/CAST\([^()]* AS (BIGINT|INTEGER)\)/g, 'CAST(ABS(n) AS $1)']) },
  ),
  otherwise('estimates of DS_THETA and DS_HLL are added as doubles', /_DS_(?:THETA|HLL)\(|SKETCH_ESTIMATE/, 'sql', {
    differing: values,
    without: ofSmallLongs,
  }),
  otherwise(
    'a column that is there twice is one to Druid, which then puts null first',
    /SELECT DISTINCT (\w+) AS k, \1 AS m1 .*ORDER BY .*DESC/,
    'sql',
    { without: instead([/SELECT DISTINCT (\w+) AS k, \1 AS m1/g, 'SELECT DISTINCT $1 AS k, b AS m1']) },
  ),
  writtenOtherwise(
    'a deviation of doubles that are all the same is 0 here, and as far from it as doubles round in Druid',
    /\b(?:STDDEV|VAR_|VARIANCE)/,
    nearlyZeros,
  ),
  otherwise(
    'a deviation of doubles that are all the same is 0 here, and as far from it as doubles round in Druid',
    ofConstant,
    'sql',
    // Sums of squares of 1.5 are exact.
    { without: instead([new RegExp(ofConstant, 'g'), '1.5']) },
  ),
  otherwise('a first or last number that is null is 0 beside an UNNEST in Druid', /UNNEST\(/, 'sql', {
    without: instead([/\b(?:EARLIEST|LATEST)(?:_BY)?\(/g, 'COUNT(DISTINCT ']),
  }),
  otherwise(
    'beside a COUNT(DISTINCT) Druid tells the arrays of ARRAY_CONCAT_AGG(DISTINCT) apart, and not their elements',
    /ARRAY_CONCAT_AGG\(DISTINCT/,
    'sql',
    { without: instead([/\b(COUNT|SUM)\(DISTINCT /g, '$1(']) },
  ),
  otherwise('a deviation of numbers beyond 1e140 is null here', /HAVING.*\b(?:STDDEV|VAR_|VARIANCE)/, 'sql', {
    without: ofSmallNumbers,
  }),
  otherwise('sketches are estimates in Druid, and exact here', /HAVING.*QUANTILE/, 'sql', {
    without: instead([/HAVING .*?QUANTILE.*?(?= ORDER BY| LIMIT|\) SELECT |\) AS |$)/g, 'HAVING COUNT(*) > 1']),
  }),
  otherwise('means of longs beyond 2^53 depend on the order of their rows', /\bAVG\(.*\b[lm]\b/, 'sql', {
    differing: values,
    without: ofSmallLongs,
  }),
  otherwise(
    'what is counted by is compared as it is cast in a FILTER of different values in Druid',
    /DISTINCT (\w+)\) FILTER \(WHERE .*CAST\(\1 AS /,
    'sql',
    { without: instead([/\b(COUNT|SUM|AVG)\(DISTINCT /g, '$1(']) },
  ),
  otherwise('BIT_AND is always 0 in Druid', /BIT_AND\(/, 'sql', { without: instead([/BIT_AND\(/g, 'BIT_OR(']) }),
  otherwise(
    'Druid gives the rows of the right side that match nothing once for each segment',
    /\b(?:RIGHT|FULL) JOIN/,
    'sql',
    { without: instead([/\b(?:RIGHT|FULL) JOIN/g, 'LEFT JOIN']) },
  ),
  otherwise('a built-in estimate leaves the empty text out in Druid', /APPROX_COUNT_DISTINCT(?:_BUILTIN)?\(/, 'sql', {
    without: instead([/APPROX_COUNT_DISTINCT(?:_BUILTIN)?\(/g, 'COUNT(DISTINCT ']),
  }),
  otherwise('variances are made of sums of squares on a cluster', /\b(?:STDDEV|VAR_|VARIANCE)/, 'sql', {
    without: inTurn(
      ofSmallNumbers,
      changedCalls(/CAST|TIMESTAMP_TO_MILLIS/, (call) =>
        /^TIMESTAMP| AS (?:BIGINT|DOUBLE)\)$/.test(call) ? 'n' : call,
      ),
    ),
  }),
  otherwise('ANY_VALUE takes a value that is not null here', /ANY_VALUE\(/, 'sql', {
    without: instead([/ANY_VALUE\(/g, 'LATEST(']),
  }),
  otherwise('Druid counts different values of sets of groups otherwise', /DISTINCT.*(?:CUBE|ROLLUP|SETS)/, 'sql', {
    without: instead([/DISTINCT /g, '']),
  }),
]
