// Accepted differences between the engines, each with its reason. A difference is recognized by the shrunk query and both answers.
// docs/druid-sql.md and docs/druid-native.md describe those that users may encounter.
import { estimates } from './reasons/estimates.ts'
import { nativeAggregates } from './reasons/native-aggregates.ts'
import { nativeExpressions } from './reasons/native-expressions.ts'
import { nativeFilters } from './reasons/native-filters.ts'
import { nativeQueries } from './reasons/native-queries.ts'
import type { KnownDifference } from './reasons/reason.ts'
import { refusals } from './reasons/refusals.ts'
import { sqlAggregates } from './reasons/sql-aggregates.ts'
import { sqlConditions } from './reasons/sql-conditions.ts'
import { sqlNumbers } from './reasons/sql-numbers.ts'
import { sqlTextsAndLists } from './reasons/sql-texts-and-lists.ts'
import { sqlTimes } from './reasons/sql-times.ts'

export const knownDifferences: readonly KnownDifference[] = [
  estimates,
  ...refusals,
  ...sqlNumbers,
  ...sqlConditions,
  ...sqlAggregates,
  ...sqlTimes,
  ...sqlTextsAndLists,
  ...nativeQueries,
  ...nativeAggregates,
  ...nativeFilters,
  ...nativeExpressions,
]
