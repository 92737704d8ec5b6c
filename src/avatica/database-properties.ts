import { numbers } from '../druid-sql/functions/numbers.ts'
import { texts } from '../druid-sql/functions/texts.ts'
import { times } from '../druid-sql/functions/times.ts'
import { values } from '../druid-sql/functions/values.ts'

/** The release of Avatica whose protocol is spoken. */
const avaticaVersion = '1.26.0'

/** What `DatabaseMetaData` tells of the service, by Avatica's names. */
export const databaseProperties: ReadonlyMap<string, string | number> = new Map<string, string | number>([
  ['GET_STRING_FUNCTIONS', Object.keys(texts).join(',')],
  ['GET_NUMERIC_FUNCTIONS', Object.keys(numbers).join(',')],
  ['GET_TIME_DATE_FUNCTIONS', Object.keys(times).join(',')],
  ['GET_SYSTEM_FUNCTIONS', Object.keys(values).join(',')],
  // Those that are not SQL:2003's.
  ['GET_S_Q_L_KEYWORDS', 'EXPLAIN,LIMIT,OFFSET'],
  // `TRANSACTION_NONE`: nothing is changed by queries.
  ['GET_DEFAULT_TRANSACTION_ISOLATION', 0],
  ['AVATICA_VERSION', avaticaVersion],
])
