// Aggregators of native queries.
import { instead, inTurn } from '../changed-queries.ts'
import { differenceOf } from '../compare.ts'
import { signsEvened } from './evened-answers.ts'
import { evened, type KnownDifference, otherwise } from './reason.ts'

/** Expressions over long columns that doubles represent exactly. */
const ofSmallExpressions = (text: string): string =>
  text.replaceAll(/"expression":"(?:[^"\\]|\\.)*"/g, (expression) => expression.replaceAll(/\b[lm]\b/g, 'n'))

/** Aggregates over the double column without values near the largest double. */
const ofSmallDoubles = (text: string): string =>
  text.replaceAll(/"fieldName":"V"|"expression":"(?:[^"\\]|\\.)*"/g, (one) => one.replaceAll(/\bV\b/g, 'd'))

export const nativeAggregates: readonly KnownDifference[] = [
  otherwise('of zeros of two signs the least is the negative one in Druid', /Min".* \* 0\.0|Max".* \* 0\.0/, 'native', {
    there: /-0\.0|Infinity/,
    without: instead([/ \* 0\.0/g, ' * 2.0']),
  }),
  otherwise("'any' takes a value that is not null here", /"type":"(?:long|double|float|string)Any"/, 'native', {
    without: instead([/"(long|double|float)Any"/g, '"$1Max"'], [/"stringAny"/g, '"stringLast"']),
  }),
  otherwise(
    'first and last over rows of an inner query pass over null texts in Druid, and take any of the rows of one time',
    /"dataSource":\{"type":"query".*"type":"(?:long|double|float|string)(?:First|Last)"/,
    'native',
    {
      without: instead([/"(?:long|double|float|string)(?:First|Last)"/g, '"count"']),
    },
  ),
  otherwise(
    'a sum that passes all doubles on its way is no number in Druid',
    /^(?=.*"type":"double(?:Sum|Mean)").*\bV\b/,
    'native',
    { without: ofSmallDoubles },
  ),
  otherwise(
    'sums of doubles beyond 2^53 depend on the order of their rows',
    /"type":"double(?:Sum|Mean)","name":"\w+",(?:"fieldName":"[lm]"|"expression":"(?:[^"\\]|\\.)*\b[lm]\b)|"expression":"(?:[^"\\]|\\.)*\b[lm]\b.*"type":"double(?:Sum|Mean)","name":"\w+","fieldName":"v\d"/,
    'native',
    {
      differing: /: number and number$/,
      without: inTurn(
        instead([/("double(?:Sum|Mean)","name":"\w+","fieldName":)"[lm]"/g, '$1"n"']),
        ofSmallExpressions,
      ),
    },
  ),
  otherwise('a mean of parts of the rows goes wrong beside nulls in Druid', /"doubleMean"/, 'native', {
    without: instead([/"doubleMean"/g, '"doubleSum"']),
  }),
  otherwise('what is no number is left out of the least and the greatest here', /Min|Max|min\(|max\(/, 'native', {
    there: /NaN/,
    differing: /and string$/,
  }),
  {
    reason: 'a cluster keeps no sign of a zero',
    matches: ({ query, embedded, druid }) =>
      query.kind === 'native' &&
      /"fieldName":"V"/.test(query.text) &&
      embedded.status === 200 &&
      druid.status === 200 &&
      differenceOf(query, evened(embedded, signsEvened), evened(druid, signsEvened)) === null,
  },
  otherwise(
    'a cardinality over an inner scan or a union counts the empty text in Druid',
    /"dataSource":\{"type":"(?:query","query":\{"queryType":"scan|union)".*"type":"cardinality"/,
    'native',
    { without: instead([/\{"type":"cardinality","name":("\w+"),[^}]*\}/g, '{"type":"count","name":$1}']) },
  ),
]
