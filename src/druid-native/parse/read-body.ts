// Parses the body of a native query request. Its JSON is parsed here a second time, so that whole numbers keep all their digits.
// Tested by `test/acceptance/native.test.ts`.

import { parseWithLongs } from '../../lib/json-with-longs.ts'
import { Json } from './json-reader.ts'
import type { NativeQuery } from './native-query-types.ts'
import { readNativeQuery } from './read-query.ts'

/**
 * Reads `{"query_type": ..., "query_data": {...}}`, whose shape was validated on receipt. Throws Problems `invalid_request` and
 * `unsupported_native_query`, with the path within the body.
 */
export function readNativeBody(body: Uint8Array): NativeQuery {
  const json = new Json(parseWithLongs(new TextDecoder().decode(body)), '')
  const data = json.at('query_data')
  const type = json.at('query_type').text()
  const inner = data.at('queryType')
  if (!inner.missing && inner.value !== type) inner.fail(`is not the query_type, "${type}"`)
  return readNativeQuery(
    { ...Object.fromEntries(data.entries().map(([name, { value }]) => [name, value])), queryType: type },
    data.path,
  )
}
