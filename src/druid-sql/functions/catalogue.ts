// Tested by `test/druid-sql/functions.test.ts`.

import { numbers } from './numbers.ts'
import type { ScalarFunction } from './signature.ts'
import { texts } from './texts.ts'
import { times } from './times.ts'
import { values } from './values.ts'

/** All functions other than aggregates and window functions, by name in upper case. */
export const catalogue: ReadonlyMap<string, ScalarFunction> = new Map(
  [texts, numbers, times, values].flatMap((part) => Object.entries(part)),
)
