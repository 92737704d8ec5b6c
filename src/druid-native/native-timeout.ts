export const nativeAdvice = 'Narrow the intervals, filter, or group by fewer dimensions.'

/** The query's own `timeout`, in milliseconds; one that is no number is told of when the query is read. */
export function timeoutOf(query: unknown): number {
  if (!isObject(query) || !isObject(query['context'])) return Number.POSITIVE_INFINITY
  const timeout = Number(query['context']['timeout'] ?? 0)
  return timeout > 0 ? timeout : Number.POSITIVE_INFINITY
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
