import type { MappingOptions } from '../message-rows.ts'

/** The properties of metrics' rows that an ingest with these does not take: it rejects rows that have them. */
export function rejectedProperties(
  sources: readonly string[],
  { metricTemplate, valueFields }: Pick<MappingOptions, 'metricTemplate' | 'valueFields'>,
): string[] {
  const given = new Set([...metricTemplate.names, ...Object.values(valueFields)])
  return [...given].filter((name) => !sources.includes(name))
}
