// Filters and dimensions of native queries.
import { evenBounds, instead } from '../changed-queries.ts'
import { type KnownDifference, otherwise } from './reason.ts'

/** Expressions over a long column instead of doubles. */
const ofWholeExpressions = (text: string): string =>
  text.replaceAll(/"expression":"(?:[^"\\]|\\.)*"/g, (expression) => expression.replaceAll(/\b[dV]\b/g, 'n'))

export const nativeFilters: readonly KnownDifference[] = [
  otherwise(
    'a negative zero is not equal to 0 in a filter of Druid',
    /"(?:matchValue|value|lower|upper)":"?0(?:\.0)?\b/,
    'native',
    { without: ofWholeExpressions },
  ),
  otherwise(
    'bounds of longs go by way of doubles in Druid',
    /900719925474099[23]|922337203685477580[78]|1e308/,
    'native',
    {
      without: evenBounds,
    },
  ),
  otherwise('a cluster keeps no sign of a zero', /"dimension":"V"/, 'native', {
    without: instead([/"dimension":"V"/g, '"dimension":"d"']),
  }),
  otherwise(
    'isfalse of a bound over a join is unknown for null in Druid, and not of it is true',
    /"dataSource":\{"type":"join".*"isfalse".*"bound"/,
    'native',
    { without: instead([/"isfalse"/g, '"not"']) },
  ),
  otherwise(
    'what is in no interval holds for a column that is not there in Druid',
    /"(?:not|isfalse)","field":\{"type":"interval"/,
    'native',
    { without: instead([/\{"type":"interval",[^{}]*\}/g, '{"type":"false"}']) },
  ),
  otherwise(
    'isfalse of a lookup holds for what Druid finds in no key of it',
    /"isfalse","field":.*"extractionFn":\{.*"type":"lookup"/,
    'native',
    { without: instead([/\{"type":"isfalse","field":/g, '{"type":"not","field":']) },
  ),
  otherwise(
    'a text that is no number finds null in what is computed without an outputType, where Druid looks at one row after another',
    /"(?:selector|in)","dimension":"v\d".*"name":"v\d","expression":"(?:[^"\\]|\\.)*"\}/,
    'native',
    { without: instead([/("name":"v\d","expression":"(?:[^"\\]|\\.)*")\}/g, '$1,"outputType":"DOUBLE"}']) },
  ),
  otherwise(
    'filters of what a virtual column computes of doubles look at whole numbers over an inner scan in Druid',
    /"dataSource":\{"type":"query","query":\{"queryType":"scan".*"(?:column|dimension)":"v\d"/,
    'native',
    { without: ofWholeExpressions },
  ),
]
