// The functions of Druid's expression language, by their names in lower case.
import type { ExpressionFunction } from './call.ts'
import { conditionalFunctions } from './functions-conditional.ts'
import { mathFunctions } from './functions-math.ts'
import { textFunctions } from './functions-text.ts'
import { timeFunctions } from './functions-time.ts'

/** What Druid has and this service has not: arrays, multi-value and nested columns, lookups by name, addresses, sketches. */
const notBuilt = `lookup array array_length array_offset array_ordinal array_contains array_overlap scalar_in_array array_offset_of array_ordinal_of
  array_prepend array_append array_concat array_set_add array_set_add_all array_slice array_to_string string_to_array mv_to_array array_to_mv mv_harmonize_nulls
  mv_append mv_concat mv_contains mv_filter_only mv_filter_none mv_length mv_offset mv_offset_of mv_ordinal mv_ordinal_of mv_overlap mv_prepend mv_slice
  mv_to_string string_to_mv map cartesian_map filter fold cartesian_fold any all json_value json_query json_query_array json_object parse_json
  try_parse_json to_json_string json_keys json_paths json_merge ipv4_match ipv4_parse ipv4_stringify ipv6_match bloom_filter_test complex_decode_base64
  decode_base64_complex nested_column getexponent nextafter nextup scalb ulp bitwiseconvertdoubletolongbits bitwiseconvertlongbitstodouble
  hyper_unique hyper_unique_add hyper_unique_estimate hyper_unique_round_estimate human_readable_binary_byte_format human_readable_decimal_byte_format
  human_readable_decimal_format decode_base64_utf8 subtotal spectator_counter json_array`

export const functions: ReadonlyMap<string, ExpressionFunction | 'unsupported'> = new Map<
  string,
  ExpressionFunction | 'unsupported'
>([
  ...notBuilt.split(/\s+/).map((name) => [name, 'unsupported'] as const),
  ...Object.entries(conditionalFunctions),
  ...Object.entries(mathFunctions),
  ...Object.entries(textFunctions),
  ...Object.entries(timeFunctions),
])
