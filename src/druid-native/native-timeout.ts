export const nativeAdvice = 'Narrow the intervals, filter, or group by fewer dimensions.'

/** The query's own `timeout`, in milliseconds, 0 where it has none; one that is no number is told of when the query is read. */
export function timeoutOf(query: unknown): number {
  if (!isObject(query) || !isObject(query['context'])) return 0
  return Number(query['context']['timeout'] ?? 0)
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
