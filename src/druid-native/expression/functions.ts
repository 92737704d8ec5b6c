// The functions of Druid's expression language, by lowercase name.
import type { ExpressionFunction } from './call.ts'
import { addressFunctions } from './functions-address.ts'
import { arrayFunctions } from './functions-array.ts'
import { arrayMakingFunctions } from './functions-array-making.ts'
import { bitFunctions } from './functions-bits.ts'
import { conditionalFunctions } from './functions-conditional.ts'
import { jsonFunctions } from './functions-json.ts'
import { mathFunctions } from './functions-math.ts'
import { textFunctions } from './functions-text.ts'
import { timeFunctions } from './functions-time.ts'

/** Functions of Druid that are not implemented: named lookups, sketches, and advanced JSON functions. */
const notBuilt = `lookup bloom_filter_test complex_decode_base64 decode_base64_complex hyper_unique hyper_unique_add hyper_unique_estimate
  hyper_unique_round_estimate json_merge json_paths json_query_array subtract_months`

export const functions: ReadonlyMap<string, ExpressionFunction | 'unsupported'> = new Map<
  string,
  ExpressionFunction | 'unsupported'
>([
  ...notBuilt.split(/\s+/).map((name) => [name, 'unsupported'] as const),
  ...Object.entries(addressFunctions),
  ...Object.entries(arrayFunctions),
  ...Object.entries(arrayMakingFunctions),
  ...Object.entries(bitFunctions),
  ...Object.entries(conditionalFunctions),
  ...Object.entries(jsonFunctions),
  ...Object.entries(mathFunctions),
  ...Object.entries(textFunctions),
  ...Object.entries(timeFunctions),
])

/** Whether a function accepts arrays directly. */
export const takesArrays = (name: string): boolean =>
  Object.hasOwn(arrayFunctions, name) || Object.hasOwn(arrayMakingFunctions, name)
