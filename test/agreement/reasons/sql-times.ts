// Times of SQL.
import { instead, inTurn, ofSmallLongs, ofSmallNumbers, withoutCalls } from '../changed-queries.ts'
import { type KnownDifference, otherwise } from './reason.ts'

export const sqlTimes: readonly KnownDifference[] = [
  otherwise('a year beyond all times is null here', /TIMESTAMP|TIME_PARSE/, 'sql', {
    there: /\d{17}/,
    without: inTurn(ofSmallNumbers, withoutCalls(/TIME_PARSE/, 'ts')),
  }),
  otherwise('a year beyond all times is null here', /MILLIS_TO_TIMESTAMP\(|AS TIMESTAMP\)/, 'sql', {
    without: inTurn(ofSmallLongs, instead([/9223372036854775807|9007199254740993/g, '1767225600000'])),
  }),
  otherwise('a year beyond all times is null here', /TIME_PARSE\(.*GROUP BY/, 'sql', {
    there: /"(\w+)":null.*"\1":null/,
    without: ofSmallNumbers,
  }),
  otherwise(
    'a year beyond all times is null here',
    /(?:TIME_PARSE|AS TIMESTAMP).*IPV4_PARSE\('|IPV4_PARSE\('.*AS TIMESTAMP/,
    'sql',
    {
      without: instead([/IPV4_PARSE\('[^']*'\)/g, '2000']),
    },
  ),
  otherwise('a year beyond all times is null here', /(?:MAX|MIN|EARLIEST|LATEST|TIME_\w+)\(.*TIME_PARSE\(/, 'sql', {
    there: /null/,
    without: ofSmallNumbers,
  }),
  otherwise(
    'TIME_FLOOR by several hours begins on the hour in Druid in zones east whose minutes changed since 1970',
    /'PT(?:6|12)H'.*'(?:Asia\/Kathmandu|Australia\/Lord_Howe)'/,
    'sql',
    { without: instead([/'(?:Asia\/Kathmandu|Australia\/Lord_Howe)'/g, "'Europe/Madrid'"]) },
  ),
  otherwise('months from or to null are counted from 1970 in Druid', /TIMESTAMPDIFF\((?:MONTH|QUARTER|YEAR)/, 'sql', {
    without: inTurn(
      instead([/\bts\b/g, '__time'], [/CAST\((?:[^()]|\([^()]*\))* AS TIMESTAMP\)/g, '__time']),
      withoutCalls(/TIME_PARSE|NULLIF/, '__time'),
    ),
  }),
]
